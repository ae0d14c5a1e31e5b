// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/borders.hpp"

/// All pairs of points on a GPU, each evaluated once. Points are divided into groups and groups into tiles. A block
/// takes two groups: its lanes keep rows of the first in registers, and points of the second pass from lane to lane
/// with the force on them. This takes 12 instructions per pair in 2-D; one-sided sums take 18.
namespace dunlin::forces {

/// A lane holds Rows points, a block of Warps warps one tile.
template <int Rows, int Warps>
struct ExactShape {
    static constexpr int rows = Rows, warps = Warps, threads = 32 * Warps, tile = 32 * Rows * Warps;
};

/// Input and output of the kernels. parts[(g * D + d) * n + i] is the force of group g on point i along axis d; masses
/// has one value per block.
struct ExactPairs {
    const float* y;
    Index n, groups, tiles;  // tiles: per group
    float* parts;
    double* masses;
    const float* charges;  // null unless the law is charged
    const float* radii;    // null unless the law is sized

    /// Maximum number of groups; bounds the size of `parts`.
    static constexpr Index most = 128;

    template <class Shape>
    static ExactPairs plan(Index n) {
        const Index all = static_cast<Index>((Offset{n} + Shape::tile - 1) / Shape::tile);
        const Index tiles = (all + most - 1) / most;
        return {nullptr, n, tiles > 0 ? (all + tiles - 1) / tiles : 0, tiles, nullptr, nullptr, nullptr, nullptr};
    }
    /// Block (g, step) takes groups g and (g + step) mod groups, so that every pair of groups occurs once.
    [[nodiscard]] dim3 blocks() const { return {unsigned(groups), unsigned(groups / 2 + 1)}; }
};

constexpr float exact_nowhere = 1e30F;  // padding: so far away that r2 is infinite, mass and force zero

template <class Law, int D, class Shape>
struct ExactBlock {
    const ExactPairs& pairs;
    const Law law;
    float (&shared)[D][Shape::tile];  // forces on the columns of the tile
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float at[Shape::rows][D], repulsion[Shape::rows][D];
    float charge[Shape::rows], radius[Shape::rows];  // if the law is charged, sized

    __device__ void load(Offset i, float nowhere, float (&point)[D]) const {
        for (int d = 0; d < D; ++d) point[d] = i < pairs.n ? pairs.y[i * D + d] : nowhere;
    }
    __device__ float charge_of(Offset i) const { return i < pairs.n ? pairs.charges[i] : 0; }
    __device__ float radius_of(Offset i) const { return i < pairs.n ? pairs.radii[i] : 0; }

    __device__ Offset row(Offset tile, int r) const {
        return tile * Shape::tile + (warp * Shape::rows + r) * 32 + lane;
    }

    __device__ void enter(Offset tile) {
        for (int r = 0; r < Shape::rows; ++r) load(row(tile, r), exact_nowhere, at[r]);
        if constexpr (Law::charged) {
            for (int r = 0; r < Shape::rows; ++r) charge[r] = charge_of(row(tile, r));
        }
        if constexpr (is_sized<Law>) {
            for (int r = 0; r < Shape::rows; ++r) radius[r] = radius_of(row(tile, r));
        }
    }

    __device__ void rest() {
        for (auto& force : repulsion) {
            for (float& f : force) f = 0;
        }
    }

    /// Interactions of 32 points, one per lane, with the rows of all lanes. Both: the force on the 32 points is
    /// accumulated too. own: index of the lane's row that is its own travelling point; -1: none.
    template <bool Both>
    __device__ double circulate(float (&to)[D], Offset column, float (&back)[D], int own) {
        const int next = (lane + 1) % 32;
        float to_charge = Law::charged ? charge_of(column) : 0, to_radius = is_sized<Law> ? radius_of(column) : 0;
        float mass = 0;
#pragma unroll 2
        for (int step = 0; step < 32; ++step) {
#pragma unroll
            for (int r = 0; r < Shape::rows; ++r) {
                float delta[D], s = law.origin;
                for (int d = 0; d < D; ++d) delta[d] = at[r][d] - to[d];
                for (int d = 0; d < D; ++d) s += delta[d] * delta[d];
                float strength = 0;
                if constexpr (is_sized<Law>) {
                    strength = law.strength_at(s, radius[r] + to_radius);
                } else {
                    strength = law.strength_at(s);
                }
                const float on_row = Law::charged ? to_charge * strength : strength;
                for (int d = 0; d < D; ++d) repulsion[r][d] += on_row * delta[d];
                if (Both) {
                    const float on_column = Law::charged ? charge[r] * strength : strength;
                    for (int d = 0; d < D; ++d) back[d] -= on_column * delta[d];
                }
                const bool itself = !Both && step == 0 && r == own;
                mass += itself ? 0 : law.mass_at(s);
            }
            for (int d = 0; d < D; ++d) to[d] = __shfl_sync(~0U, to[d], next);
            if (Law::charged) to_charge = __shfl_sync(~0U, to_charge, next);
            if (is_sized<Law>) to_radius = __shfl_sync(~0U, to_radius, next);
            if (Both) {
                for (int d = 0; d < D; ++d) back[d] = __shfl_sync(~0U, back[d], next);
            }
        }
        return mass;
    }

    /// Interactions of the loaded rows with another tile. At any time the warps work on different columns, so that a
    /// column's force has one writer.
    __device__ double meet(Offset tile) {
        double mass = 0;
        for (int phase = 0; phase < Shape::warps; ++phase) {
            const int part = (warp + phase) % Shape::warps;
            for (int r = 0; r < Shape::rows; ++r) {
                const int column = (part * Shape::rows + r) * 32 + lane;
                float to[D], back[D] = {};
                load(tile * Shape::tile + column, -exact_nowhere, to);
                mass += circulate<true>(to, tile * Shape::tile + column, back, -1);
                for (int d = 0; d < D; ++d) shared[d][column] = (phase == 0 ? 0 : shared[d][column]) + back[d];
            }
            __syncthreads();
        }
        return mass;
    }

    __device__ void keep(Index group, int d, Offset i, float force, bool first) const {
        if (i >= pairs.n) return;
        float& part = pairs.parts[(Offset{group} * D + d) * pairs.n + i];
        part = first ? force : part + force;
    }
    __device__ void keep_rows(Index group, Offset tile, bool first) const {
        for (int r = 0; r < Shape::rows; ++r) {
            for (int d = 0; d < D; ++d) keep(group, d, row(tile, r), repulsion[r][d], first);
        }
    }
    __device__ void keep_columns(Index group, Offset tile, bool first) const {
        for (int d = 0; d < D; ++d) {
            for (int c = threadIdx.x; c < Shape::tile; c += Shape::threads) {
                keep(group, d, tile * Shape::tile + c, shared[d][c], first);
            }
        }
        __syncthreads();
    }

    /// All pairs of points of two different groups, each once.
    __device__ double between(Index g, Index h) {
        double mass = 0;
        for (Index a = 0; a < pairs.tiles; ++a) {
            enter(Offset{g} * pairs.tiles + a);
            for (Index b = 0; b < pairs.tiles; ++b) {
                rest();
                mass += meet(Offset{h} * pairs.tiles + b);
                keep_rows(h, Offset{g} * pairs.tiles + a, b == 0);
                keep_columns(g, Offset{h} * pairs.tiles + b, a == 0);
            }
        }
        return mass;
    }

    /// All ordered pairs within a group.
    __device__ double among(Index g) {
        constexpr int chunks = Shape::tile / 32;
        double mass = 0;
        for (Index a = 0; a < pairs.tiles; ++a) {
            const Offset tile = Offset{g} * pairs.tiles + a;
            enter(tile);
            rest();
            for (Index c = 0; c < pairs.tiles * chunks; ++c) {
                const Offset column = (Offset{g} * pairs.tiles * chunks + c) * 32 + lane;
                float to[D], back[D];
                load(column, -exact_nowhere, to);
                mass += circulate<false>(to, column, back, c - a * chunks - warp * Shape::rows);
            }
            keep_rows(g, tile, true);
        }
        return mass;
    }
};

template <class Law, int D, class Shape>
__global__ void __launch_bounds__(Shape::threads) exact_pairs_kernel(ExactPairs pairs, Law law) {
    __shared__ float shared[D][Shape::tile];
    ExactBlock<Law, D, Shape> block{pairs, law, shared};
    const auto g = static_cast<Index>(blockIdx.x), step = static_cast<Index>(blockIdx.y);
    const bool met_already = 2 * step == pairs.groups && 2 * g >= pairs.groups;
    double mass = 0;
    if (step == 0) {
        mass = block.among(g);
    } else if (!met_already) {
        mass = 2 * block.between(g, (g + step) % pairs.groups);
    }
    if constexpr (!has_normalizer<Law>) return;
    mass = device::block_sum<Shape::threads>(mass);
    if (threadIdx.x == 0) pairs.masses[blockIdx.y * gridDim.x + blockIdx.x] = mass;
}

/// Adds the forces of all groups on a point along an axis.
template <int D>
struct SumExactParts {
    ExactPairs pairs;
    float* force;

    __device__ void operator()(Offset place) const {
        double sum = 0;
#pragma unroll 8
        for (Index g = 0; g < pairs.groups; ++g) sum += pairs.parts[Offset{g} * D * pairs.n + place];
        const Offset d = place / pairs.n;
        force[(place - d * pairs.n) * D + d] = static_cast<float>(sum);
    }
};

}  // namespace dunlin::forces
