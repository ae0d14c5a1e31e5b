// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/tiled_product.hpp"

/// The kernel of dense_product.cu, apart from it so that a test can emulate it on a CPU. What it needs of a GPU's own
/// instructions (multiply_add, launch_memory, copy_async, ..) comes before it.
namespace dunlin::numerics {

namespace dense {

constexpr int depth = 32;  ///< levels of the factors in a slot of shared memory
constexpr int slots = 3;   ///< of shared memory: one is read while the others fill
constexpr int groups = 2;  ///< of warps, each of which sums its share of the levels of all entries
constexpr int step = 8;    ///< levels of a tensor core's product, 16 x 8 x 8
constexpr int tile_cols = 64;
static_assert(depth % (groups * step) == 0);

/// Rows of a block's tile of c, the part of the tile that a warp has, and blocks of a multiprocessor. An entry's sum
/// does not depend on it: its levels are divided among the groups by their number alone, and a group adds those of a
/// slot by one warp in their order, whatever else the warp computes.
template <int Rows, int WarpRows, int WarpCols, int Blocks>
struct Tiling {
    static constexpr int rows = Rows, warp_rows = WarpRows, warp_cols = WarpCols, blocks = Blocks;
    static constexpr int warps_along = tile_cols / warp_cols;  ///< of a row
    static constexpr int group_warps = rows / warp_rows * warps_along;
    static constexpr int threads = groups * group_warps * 32;
    static constexpr int tall = warp_rows / 16, wide = warp_cols / 8;  ///< products of a tensor core
    static_assert(threads * blocks == 512, "16 warps keep a multiprocessor busy");
};

/// For more tiles of 64 x 64 than multiprocessors: two blocks run on each, so that one computes while the other waits.
using ManyTiles = Tiling<64, 32, 32, 2>;
/// For at most as many tiles as multiprocessors: one block runs on each and has twice the warps.
using FewTiles = Tiling<64, 32, 16, 1>;
/// For at most half as many tiles as multiprocessors: tiles have half of the rows, so that no multiprocessor is idle.
using FewestTiles = Tiling<32, 16, 16, 1>;

/// Calls use(tiling) with the tiling for a product of this size on a GPU of so many multiprocessors.
template <class Use>
void with_tiling(Index rows, Index cols, int multiprocessors, const Use& use) {
    const Offset tiles = Offset{(rows + ManyTiles::rows - 1) / ManyTiles::rows} * ((cols + tile_cols - 1) / tile_cols);
    if (2 * tiles <= multiprocessors) {
        use(FewestTiles());
    } else if (tiles <= multiprocessors) {
        use(FewTiles());
    } else {
        use(ManyTiles());
    }
}

/// A tile of a factor in shared memory, Side items x depth levels. By items: levels are adjacent; else items are. The
/// strides keep the loads of a warp, 8 items x 4 levels, in different banks.
template <bool ByItems, int Side>
struct FactorTile {
    static constexpr int stride = ByItems ? depth + 4 : Side + 8;
    static constexpr int size = ByItems ? Side * stride : depth * stride;

    __device__ static int place(int item, int level) { return ByItems ? item * stride + level : level * stride + item; }
};

/// A factor, from the tile's first item on.
struct Source {
    const float* values;
    Index stride;
    Index items;  ///< from the first of the tile to the end of the factor
};

/// Begins to copy levels [first, first + depth) of the factor by all threads of a block; zeros beyond its end. Width:
/// floats at a time; 4 needs aligned rows. A thread takes the same place of every so many lines, the runs of adjacent
/// numbers.
template <bool ByItems, int Side, int Width, int Threads>
__device__ void fetch(float* tile, const Source& from, Index first, Index levels) {
    constexpr int run = (ByItems ? depth : Side) / Width, lines = ByItems ? Side : depth, at_once = Threads / run;
    static_assert(Threads % run == 0);
    const int thread = static_cast<int>(threadIdx.x), along = thread % run * Width, first_line = thread / run;
    const Index left = (ByItems ? levels - first : from.items) - along;
    const int there = left >= Width ? Width : left > 0 ? left : 0;
    const Index lines_left = ByItems ? from.items : levels - first;
    const float* source =
        from.values + (ByItems ? Offset{first_line} * from.stride + first : Offset{first + first_line} * from.stride) +
        along;
#pragma unroll
    for (int l = 0; l < lines; l += at_once) {
        const int line = first_line + l;
        if (at_once > lines && line >= lines) break;
        copy_async<Width>(tile + FactorTile<ByItems, Side>::place(ByItems ? line : along, ByItems ? along : line),
                          source, line < lines_left ? there : 0);
        source += Offset{at_once} * from.stride;
    }
}

/// Row and column of entry i of sum[m][n], within the warp's part.
__device__ inline int row_of(int m, int i) { return m * 16 + static_cast<int>(threadIdx.x) % 32 / 4 + i / 2 * 8; }
__device__ inline int col_of(int n, int i) { return n * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// A number as the sum of two that a tensor core takes without an error beyond 2^-21 of it.
struct Split {
    std::uint32_t high, low;

    __device__ explicit Split(float value) {
        high = (__float_as_uint(value) + 0x1000U) & 0xffffe000U;
        low = __float_as_uint(value - __uint_as_float(high));
    }
};

/// sum += the product of `step` levels from `level` on, of the warp's rows and columns. The products of an entry wait
/// for each other, so those of other columns come between them.
template <class TileA, class TileB, int Tall, int Wide>
__device__ void add_levels(const float* a, const float* b, int row, int col, int level, float (&sum)[Tall][Wide][4]) {
    const int lane = static_cast<int>(threadIdx.x) % 32, of_eight = lane / 4, of_four = lane % 4;
    std::uint32_t b_parts[2][Wide][2];  // [high, low]
#pragma unroll
    for (int n = 0; n < Wide; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const Split split(b[TileB::place(col + n * 8 + of_eight, level + of_four + i * 4)]);
            b_parts[0][n][i] = split.high, b_parts[1][n][i] = split.low;
        }
    }
#pragma unroll
    for (int m = 0; m < Tall; ++m) {
        std::uint32_t a_parts[2][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Split split(a[TileA::place(row + m * 16 + of_eight + i % 2 * 8, level + of_four + i / 2 * 4)]);
            a_parts[0][i] = split.high, a_parts[1][i] = split.low;
        }
#pragma unroll
        for (int product = 0; product < 3; ++product) {
#pragma unroll
            for (int n = 0; n < Wide; ++n)
                multiply_add(sum[m][n], a_parts[product == 0 ? 1 : 0], b_parts[product == 1 ? 1 : 0][n]);
        }
    }
}
#else
/// add_levels() for GPUs without these tensor core instructions: plain products in float.
template <class TileA, class TileB, int Tall, int Wide>
__device__ void add_levels(const float* a, const float* b, int row, int col, int level, float (&sum)[Tall][Wide][4]) {
    for (int k = level; k < level + step; ++k) {
        for (int m = 0; m < Tall; ++m) {
            for (int n = 0; n < Wide; ++n) {
                for (int i = 0; i < 4; ++i) {
                    sum[m][n][i] += a[TileA::place(row + row_of(m, i), k)] * b[TileB::place(col + col_of(n, i), k)];
                }
            }
        }
    }
}
#endif

/// Completes an entry of c.
__device__ inline void put(const DenseProduct& job, Index row, Index col, float sum) {
    float& out = job.c[Offset{row} * job.cols + col];
    out = job.keep == 0 ? job.scale * sum : job.scale * sum + job.keep * out;
}

/// Floats of a slot.
template <class T, bool AByItems, bool BByItems>
constexpr int slot_size = FactorTile<AByItems, T::rows>::size + FactorTile<BByItems, tile_cols>::size;

/// Shared memory of a block.
template <class T, bool AByItems, bool BByItems>
constexpr int block_bytes = slots * slot_size<T, AByItems, BByItems> * static_cast<int>(sizeof(float));

/// One block per tile of c. AByItems: a is not transposed; BByItems: b is.
template <class T, bool AByItems, bool BByItems, int Width>
__global__ void __launch_bounds__(T::threads, T::blocks) dense_product_kernel(DenseProduct job) {
    using TileA = FactorTile<AByItems, T::rows>;
    using TileB = FactorTile<BByItems, tile_cols>;
    constexpr int size = slot_size<T, AByItems, BByItems>;
    float* const memory = launch_memory();
    const Index row = static_cast<Index>(blockIdx.x) * T::rows, col = static_cast<Index>(blockIdx.y) * tile_cols;
    const Source a{job.a.from(row, 0), job.a.stride, job.rows - row};
    const Source b{job.b.from(0, col), job.b.stride, job.cols - col};
    const int warp = static_cast<int>(threadIdx.x) / 32, group = warp / T::group_warps, part = warp % T::group_warps;
    const int warp_row = part / T::warps_along * T::warp_rows, warp_col = part % T::warps_along * T::warp_cols;

    const Index tiles = (job.inner + depth - 1) / depth;
    const auto fetch_both = [&](Index tile) {
        if (tile < tiles) {
            float* const slot = memory + tile % slots * size;
            fetch<AByItems, T::rows, Width, T::threads>(slot, a, tile * depth, job.inner);
            fetch<BByItems, tile_cols, Width, T::threads>(slot + TileA::size, b, tile * depth, job.inner);
        }
        commit_copies();
    };
    for (int tile = 0; tile + 1 < slots; ++tile) fetch_both(tile);

    // The sums of a slot begin at 0 and are added by the warp, since a tensor core's own sums are cut off
    float sum[T::tall][T::wide][4] = {};
    for (Index tile = 0; tile < tiles; ++tile) {
        wait_for_copies<slots - 2>();
        __syncthreads();  // the slot is full, and all have read the one that is filled next
        fetch_both(tile + slots - 1);
        const float* const slot = memory + tile % slots * size;
        float of_tile[T::tall][T::wide][4] = {};
#pragma unroll
        for (int level = 0; level < depth; level += groups * step)
            add_levels<TileA, TileB>(slot, slot + TileA::size, warp_row, warp_col, level + group * step, of_tile);
#pragma unroll
        for (int m = 0; m < T::tall; ++m) {
#pragma unroll
            for (int n = 0; n < T::wide; ++n) {
#pragma unroll
                for (int i = 0; i < 4; ++i) sum[m][n][i] += of_tile[m][n][i];
            }
        }
    }

    wait_for_copies<0>();
    __syncthreads();
    // The groups' sums, in their order
    constexpr int stride = tile_cols + 8;
    static_assert(T::rows * stride <= slots * size);
    for (int g = groups - 1; g >= 0; --g) {
#pragma unroll
        for (int m = 0; m < T::tall; ++m) {
#pragma unroll
            for (int n = 0; n < T::wide; ++n) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    if (group != g) continue;
                    const int r = warp_row + row_of(m, i), c = warp_col + col_of(n, i);
                    float& kept = memory[r * stride + c];
                    const float all = sum[m][n][i] + (g + 1 < groups ? kept : 0.0F);
                    if (g > 0) {
                        kept = all;
                    } else if (row + r < job.rows && col + c < job.cols) {
                        put(job, row + r, col + c, all);
                    }
                }
            }
        }
        __syncthreads();
    }
}

}  // namespace dense

}  // namespace dunlin::numerics
