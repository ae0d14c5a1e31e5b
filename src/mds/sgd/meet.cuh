// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/input/device_source.cuh"

/// Sums over all pairs of some rows with everybody, on a GPU: what for_each_tile (configuration.hpp) is on a CPU. A
/// block meets 64 rows with 64 items at a time, a thread 4 with 4. Up to 64 terms are added in float32, the rest in
/// double, in an order that depends on n and the GPU's size only.
namespace dunlin::mds {

constexpr int meet_tile = 64, meet_each = 4, meet_side = meet_tile / meet_each, meet_threads = meet_side * meet_side;

/// A map on the device and whom its items meet.
struct Meetings {
    Items items;
    const float* weights;  ///< n rows of padded(n); null: 1
    const float* y;        ///< n x dim
    int dim;
    const Index* rows;  ///< null: 0, 1, ..
    Index row_count;

    [[nodiscard]] __device__ Index row(Index r) const { return rows == nullptr ? r : rows[r]; }
};

namespace meet_detail {

constexpr int staged = 16;  ///< columns of points in shared memory at a time

struct Stage {
    float row[staged][meet_tile + 4], other[staged][meet_tile + 4];
};

/// Columns [first, first + staged) of 64 items, on their side; of none and beyond the last column: 0.
__device__ inline void turn(const Items& items, Index item, Index first, float (*to)[meet_tile + 4]) {
    const int slot = static_cast<int>(threadIdx.x) / 4, quad = static_cast<int>(threadIdx.x) % 4;
    float4 x{0, 0, 0, 0};
    if (item >= 0 && first + quad * 4 < items.stride) x = items.quads(item)[first / 4 + quad];
    to[quad * 4][slot] = x.x;
    to[quad * 4 + 1][slot] = x.y;
    to[quad * 4 + 2][slot] = x.z;
    to[quad * 4 + 3][slot] = x.w;
}

template <bool manhattan>
__device__ void add_columns(const Stage& stage, int count, float (*sum)[meet_each]) {
    const int ty = static_cast<int>(threadIdx.x) / meet_side, tx = static_cast<int>(threadIdx.x) % meet_side;
    for (int c = 0; c < count; ++c) {
        const float4 a = *reinterpret_cast<const float4*>(&stage.row[c][ty * meet_each]);
        const float4 b = *reinterpret_cast<const float4*>(&stage.other[c][tx * meet_each]);
        const float x[meet_each] = {a.x, a.y, a.z, a.w}, y[meet_each] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int r = 0; r < meet_each; ++r) {
#pragma unroll
            for (int k = 0; k < meet_each; ++k) {
                const float apart = x[r] - y[k];
                sum[r][k] += manhattan ? fabsf(apart) : apart * apart;
            }
        }
    }
}

/// delta of a tile of points; mine: whom this thread brings to shared memory as a row; -1: nobody.
__device__ inline void tile_of_points(const Items& items, Index mine, Index begin, Stage& stage,
                                      float (*delta)[meet_each]) {
    const Index other = begin + static_cast<Index>(threadIdx.x) / 4;
    for (Index first = 0; first < items.stride; first += staged) {
        __syncthreads();
        turn(items, mine, first, stage.row);
        turn(items, other < items.n ? other : -1, first, stage.other);
        __syncthreads();
        const int count = static_cast<int>(min(Index{staged}, items.stride - first));
        items.law == Law::sum ? add_columns<true>(stage, count, delta) : add_columns<false>(stage, count, delta);
    }
#pragma unroll
    for (int r = 0; r < meet_each; ++r) {
#pragma unroll
        for (int k = 0; k < meet_each; ++k) delta[r][k] = dissimilarity(delta[r][k], items.law, items.unit);
    }
}

/// Four entries of a row of a matrix; beyond its end: `none`.
__device__ inline void read_four(const float* row, Index stride, Index column, float none, float* to) {
    float4 x{none, none, none, none};
    if (row != nullptr && column < stride) x = *reinterpret_cast<const float4*>(row + column);
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
}

/// Where an item is: in registers, or, of any dimension, where it is stored. Of nobody: somewhere.
template <int Dim>
struct Place {
    float at[Dim];
    __device__ static Place of(const float* y, int, Index item) {
        Place place;
        for (int c = 0; c < Dim; ++c) place.at[c] = y[Offset{max(item, 0)} * Dim + c];
        return place;
    }
};
template <>
struct Place<0> {
    const float* at;
    __device__ static Place of(const float* y, int dim, Index item) { return {y + Offset{max(item, 0)} * dim}; }
};

}  // namespace meet_detail

/// Calls tally.add(sums, delta, w, d2, here, there) for pairs of a row and another item; sums: Tally::size floats of
/// that row; here, there: their coordinates. parts: (part, row, Tally::size), a part a run of `columns` items. Dim: of
/// the map; 0: any. Matrix: dissimilarities are given. Two blocks share a multiprocessor: one alone waits for memory.
template <int Dim, bool Matrix, class Tally>
__global__ void __launch_bounds__(meet_threads, 2) meet_kernel(Meetings m, Tally tally, Index columns, double* parts) {
    using namespace meet_detail;
    constexpr int flush_every = 16;
    const int ty = static_cast<int>(threadIdx.x) / meet_side, tx = static_cast<int>(threadIdx.x) % meet_side;
    const int dim = Dim > 0 ? Dim : m.dim;
    const Index first_row = static_cast<Index>(blockIdx.x) * meet_tile,
                begin = static_cast<Index>(blockIdx.y) * columns;
    const Index end = min(m.items.n, begin + columns);
    const auto item_of = [&](Index r) { return r < m.row_count ? m.row(r) : -1; };
    const Index mine = item_of(first_row + static_cast<Index>(threadIdx.x) / 4);
    Index item[meet_each];
    Place<Dim> here[meet_each], there[meet_each];
    for (int r = 0; r < meet_each; ++r) {
        item[r] = item_of(first_row + ty * meet_each + r);
        here[r] = Place<Dim>::of(m.y, dim, item[r]);
    }

    float sums[meet_each][Tally::size] = {};
    double totals[meet_each][Tally::size] = {};
    int tiles = 0;
    for (Index first = begin; first < end; first += meet_tile) {
        const Index column = first + tx * meet_each;
        float delta[meet_each][meet_each] = {};
        if constexpr (Matrix) {
            for (int r = 0; r < meet_each; ++r)
                read_four(item[r] < 0 ? nullptr : m.items.row(item[r]), m.items.stride, column, NAN, delta[r]);
        } else {
            __shared__ Stage stage;
            tile_of_points(m.items, mine, first, stage, delta);
        }
        for (int k = 0; k < meet_each; ++k) there[k] = Place<Dim>::of(m.y, dim, column + k < end ? column + k : -1);
#pragma unroll
        for (int r = 0; r < meet_each; ++r) {
            float w[meet_each] = {1, 1, 1, 1};
            if (m.weights != nullptr) {
                const Index stride = padded(m.items.n);
                read_four(item[r] < 0 ? nullptr : m.weights + Offset{item[r]} * stride, stride, column, 0, w);
            }
#pragma unroll
            for (int k = 0; k < meet_each; ++k) {
                float d2 = 0;
                for (int c = 0; c < dim; ++c) d2 += (here[r].at[c] - there[k].at[c]) * (here[r].at[c] - there[k].at[c]);
                tally.add(sums[r], column + k < end ? delta[r][k] : NAN, w[k], d2, here[r].at, there[k].at);
            }
        }
        if (++tiles % flush_every != 0 && first + meet_tile < end) continue;
#pragma unroll
        for (int r = 0; r < meet_each; ++r) {
#pragma unroll
            for (int s = 0; s < Tally::size; ++s) {
                totals[r][s] += static_cast<double>(sums[r][s]);
                sums[r][s] = 0;
            }
        }
    }
    for (int r = 0; r < meet_each; ++r) {
        const Index row = first_row + ty * meet_each + r;
        for (int s = 0; s < Tally::size; ++s) {
            const double total = device::group_sum<meet_side>(totals[r][s]);
            if (tx == 0 && row < m.row_count) parts[(Offset{blockIdx.y} * m.row_count + row) * Tally::size + s] = total;
        }
    }
}

/// Sums of a row over the parts, in order.
template <int Size>
struct RowSums {
    const double* parts;
    Index row_count;
    int count;

    __device__ math::Vec<double, Size> operator[](Offset row) const {
        math::Vec<double, Size> sum;
        for (int part = 0; part < count; ++part) {
            for (int s = 0; s < Size; ++s) sum.at[s] += parts[(Offset{part} * row_count + row) * Size + s];
        }
        return sum;
    }
};

/// Lets all rows meet everybody. The sums live in `parts`, which grows as needed. Dim: m.dim, or 0.
template <int Dim, class Tally>
RowSums<Tally::size> for_each_tile(device::Cuda& cuda, const Meetings& m, const Tally& tally,
                                   device::CudaBuffer<double>& parts) {
    const Index row_tiles = (m.row_count + meet_tile - 1) / meet_tile;
    const Index column_tiles = (m.items.n + meet_tile - 1) / meet_tile;
    const Index wanted = (8 * cuda.multiprocessors() + row_tiles - 1) / row_tiles;
    const Index tiles_of_part = std::max<Index>(1, column_tiles / std::clamp<Index>(wanted, 1, 512));
    const Index count = (column_tiles + tiles_of_part - 1) / tiles_of_part;
    const auto size = static_cast<std::size_t>(Offset{count} * m.row_count * Tally::size);
    if (parts.size() < size) cuda.resize(parts, size);
    const bool matrix = m.items.law == Law::given;
    const auto kernel = matrix ? meet_kernel<Dim, true, Tally> : meet_kernel<Dim, false, Tally>;
    kernel<<<dim3(static_cast<unsigned>(row_tiles), static_cast<unsigned>(count)), meet_threads, 0, cuda.stream()>>>(
        m, tally, tiles_of_part * meet_tile, parts.data());
    device::cuda_check(cudaGetLastError());
    return {parts.data(), m.row_count, count};
}

}  // namespace dunlin::mds
