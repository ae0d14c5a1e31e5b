// SPDX-License-Identifier: Apache-2.0
#include "device/dense_product.cuh"

#include <cuda_pipeline.h>

namespace dunlin::device {

namespace {

constexpr int side = 64;        ///< rows and columns of a tile of c
constexpr int depth = 32;       ///< levels of the factors in shared memory at once
constexpr int warp_side = 32;   ///< rows and columns of a warp's part of a tile
constexpr int groups = 2;       ///< of warps, each of which sums its share of the levels of all entries
constexpr int group_warps = 4;  ///< 2 x 2 parts
constexpr int threads = groups * group_warps * 32;
constexpr int step = 8;  ///< levels of a tensor core's product, 16 x 8 x 8
constexpr int tall = warp_side / 16, wide = warp_side / 8;

/// Completes an entry of c.
__device__ void put(const DenseProduct& job, Index row, Index col, float sum) {
    float& out = job.c[Offset{row} * job.cols + col];
    out = job.keep == 0 ? job.scale * sum : job.scale * sum + job.keep * out;
}

/// A tile of a factor in shared memory, side items x depth levels. By items: levels are adjacent; else items are. The
/// strides keep the loads of a warp, 8 items x 4 levels, in different banks.
template <bool ByItems>
struct FactorTile {
    static constexpr int stride = ByItems ? depth + 4 : side + 8;
    static constexpr int size = ByItems ? side * stride : depth * stride;

    __device__ static int place(int item, int level) { return ByItems ? item * stride + level : level * stride + item; }
};

/// A factor, from the tile's first item on.
struct Source {
    const float* values;
    Index stride;
    Index items;  ///< from the first of the tile to the end of the factor
};

/// Begins to copy levels [first, first + depth) of the factor; zeros beyond its end. Width: floats at a time; 4 needs
/// aligned rows.
template <bool ByItems, int Width>
__device__ void fetch(float* tile, const Source& from, Index first, Index levels) {
    constexpr int run = (ByItems ? depth : side) / Width, lines = ByItems ? side : depth;
    for (int i = static_cast<int>(threadIdx.x); i < run * lines; i += threads) {
        const int line = i / run, along = i % run * Width;
        const int item = ByItems ? line : along, level = ByItems ? along : line;
        const Offset at =
            ByItems ? Offset{item} * from.stride + first + level : Offset{first + level} * from.stride + item;
        const Index of_line = ByItems ? from.items - item : levels - first - level;
        const Index left = of_line <= 0 ? 0 : ByItems ? levels - first - level : from.items - item;
        const int there = left >= Width ? Width : left > 0 ? left : 0;
        __pipeline_memcpy_async(tile + FactorTile<ByItems>::place(item, level),
                                there > 0 ? from.values + at : from.values, Width * sizeof(float),
                                (Width - there) * sizeof(float));
    }
}

/// A number as the sum of two that a tensor core takes without an error beyond 2^-21 of it.
struct Split {
    std::uint32_t high, low;

    __device__ explicit Split(float value) {
        high = (__float_as_uint(value) + 0x1000U) & 0xffffe000U;
        low = __float_as_uint(value - __uint_as_float(high));
    }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// sum += the product of `step` levels from `level` on, of the warp's rows and columns.
template <bool AByItems, bool BByItems>
__device__ void add_levels(const float* a, const float* b, int row, int col, int level, float (&sum)[tall][wide][4]) {
    const int lane = static_cast<int>(threadIdx.x) % 32, of_eight = lane / 4, of_four = lane % 4;
    std::uint32_t high[wide][2], low[wide][2];
#pragma unroll
    for (int n = 0; n < wide; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const Split split(b[FactorTile<BByItems>::place(col + n * 8 + of_eight, level + of_four + i * 4)]);
            high[n][i] = split.high, low[n][i] = split.low;
        }
    }
#pragma unroll
    for (int m = 0; m < tall; ++m) {
        std::uint32_t a_high[4], a_low[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Split split(
                a[FactorTile<AByItems>::place(row + m * 16 + of_eight + i % 2 * 8, level + of_four + i / 2 * 4)]);
            a_high[i] = split.high, a_low[i] = split.low;
        }
#pragma unroll
        for (int n = 0; n < wide; ++n) {
            multiply_add(sum[m][n], a_low, high[n]);
            multiply_add(sum[m][n], a_high, low[n]);
            multiply_add(sum[m][n], a_high, high[n]);
        }
    }
}
#endif

/// Row and column of entry i of sum[m][n], within the warp's part.
__device__ int row_of(int m, int i) { return m * 16 + static_cast<int>(threadIdx.x) % 32 / 4 + i / 2 * 8; }
__device__ int col_of(int n, int i) { return n * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2; }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// The same without tensor cores, in float.
template <bool AByItems, bool BByItems>
__device__ void add_levels(const float* a, const float* b, int row, int col, int level, float (&sum)[tall][wide][4]) {
    for (int k = level; k < level + step; ++k) {
        for (int m = 0; m < tall; ++m) {
            for (int n = 0; n < wide; ++n) {
                for (int i = 0; i < 4; ++i) {
                    sum[m][n][i] += a[FactorTile<AByItems>::place(row + row_of(m, i), k)] *
                                    b[FactorTile<BByItems>::place(col + col_of(n, i), k)];
                }
            }
        }
    }
}
#endif

/// One block per tile of c. AByItems: a is not transposed; BByItems: b is.
template <bool AByItems, bool BByItems, int Width>
__global__ void __launch_bounds__(threads, 2) dense_product_kernel(DenseProduct job) {
    constexpr int a_size = FactorTile<AByItems>::size, b_size = FactorTile<BByItems>::size;
    __shared__ alignas(16) float memory[2][a_size + b_size];
    static_assert(sizeof(memory) >= side * side * sizeof(float));
    const Index row = static_cast<Index>(blockIdx.x) * side, col = static_cast<Index>(blockIdx.y) * side;
    const Source a{job.a.from(row, 0), job.a.stride, job.rows - row};
    const Source b{job.b.from(0, col), job.b.stride, job.cols - col};
    const int warp = static_cast<int>(threadIdx.x) / 32, group = warp / group_warps;
    const int warp_row = warp % group_warps / 2 * warp_side, warp_col = warp % 2 * warp_side;

    // The sums of a tile of levels begin at 0 and are added by the warp, since a tensor core's own sums are cut off
    float sum[tall][wide][4] = {};
    const auto fetch_both = [&](int slot, Index first) {
        fetch<AByItems, Width>(memory[slot], a, first, job.inner);
        fetch<BByItems, Width>(memory[slot] + a_size, b, first, job.inner);
        __pipeline_commit();
    };
    fetch_both(0, 0);
    int slot = 0;
    for (Index first = 0; first < job.inner; first += depth) {
        if (first + depth < job.inner) {
            fetch_both(1 - slot, first + depth);
        } else {
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        float of_tile[tall][wide][4] = {};
#pragma unroll
        for (int level = 0; level < depth; level += groups * step) {
            add_levels<AByItems, BByItems>(memory[slot], memory[slot] + a_size, warp_row, warp_col,
                                           level + group * step, of_tile);
        }
#pragma unroll
        for (int m = 0; m < tall; ++m) {
#pragma unroll
            for (int n = 0; n < wide; ++n) {
#pragma unroll
                for (int i = 0; i < 4; ++i) sum[m][n][i] += of_tile[m][n][i];
            }
        }
        __syncthreads();
        slot = 1 - slot;
    }

    __pipeline_wait_prior(0);
    __syncthreads();
    // The groups' sums, in their order
    float* const sums = memory[0];
    for (int g = groups - 1; g >= 0; --g) {
#pragma unroll
        for (int m = 0; m < tall; ++m) {
#pragma unroll
            for (int n = 0; n < wide; ++n) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    if (group != g) continue;
                    const int r = warp_row + row_of(m, i), c = warp_col + col_of(n, i);
                    const float all = sum[m][n][i] + (g + 1 < groups ? sums[r * side + c] : 0.0F);
                    if (g > 0) {
                        sums[r * side + c] = all;
                    } else if (row + r < job.rows && col + c < job.cols) {
                        put(job, row + r, col + c, all);
                    }
                }
            }
        }
        __syncthreads();
    }
}

template <bool AByItems, bool BByItems>
void launch(Cuda& cuda, const DenseProduct& job) {
    const auto is_aligned = [](const Factor& factor) {
        return factor.stride % 4 == 0 && reinterpret_cast<std::uintptr_t>(factor.values) % 16 == 0;
    };
    auto* const kernel = is_aligned(job.a) && is_aligned(job.b) ? dense_product_kernel<AByItems, BByItems, 4>
                                                                : dense_product_kernel<AByItems, BByItems, 1>;
    const dim3 tiles(static_cast<unsigned>((job.rows + side - 1) / side),
                     static_cast<unsigned>((job.cols + side - 1) / side));
    kernel<<<tiles, threads, 0, cuda.stream()>>>(job);
    cuda_check(cudaGetLastError());
}

// Products that are too thin for tiles

constexpr int thin = 8;  ///< most columns, or levels

/// A thread per entry: few levels.
struct FewLevels {
    DenseProduct job;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<Index>(i / job.cols), col = static_cast<Index>(i % job.cols);
        float sum = 0;
        for (Index level = 0; level < job.inner; ++level) sum += *job.a.from(row, level) * *job.b.from(level, col);
        put(job, row, col, sum);
    }
};

constexpr int thin_rows = 8, thin_threads = thin_rows * 32;  ///< rows of a block, a warp each

/// sums[c] += the product of a level with column c.
__device__ void add_level(const DenseProduct& job, float a, Index level, float (&sums)[thin]) {
#pragma unroll
    for (int c = 0; c < thin; ++c) {
        if (c < job.cols) sums[c] += a * *job.b.from(level, c);
    }
}

/// Few columns, a by rows: one warp per row, whose lanes share the levels.
__global__ void few_columns_kernel(DenseProduct job) {
    const Index row = static_cast<Index>(blockIdx.x) * thin_rows + static_cast<Index>(threadIdx.x) / 32;
    if (row >= job.rows) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float sums[thin] = {};
#pragma unroll 4
    for (Index level = lane; level < job.inner; level += 32) add_level(job, *job.a.from(row, level), level, sums);
#pragma unroll
    for (int c = 0; c < thin; ++c) {
        if (c >= job.cols) break;
        const double sum = group_sum<32>(static_cast<double>(sums[c]));
        if (lane == 0) put(job, row, c, static_cast<float>(sum));
    }
}

constexpr int level_groups = 16;  ///< rows of threads of a block, each of which takes every 16th level

/// Few columns, a by columns: a thread has one of 32 adjacent rows, and a share of the levels.
__global__ void few_columns_transposed_kernel(DenseProduct job) {
    __shared__ float parts[level_groups][thin][32];
    const Index row = static_cast<Index>(blockIdx.x) * 32 + static_cast<Index>(threadIdx.x);
    float sums[thin] = {};
    if (row < job.rows) {
#pragma unroll 4
        for (Index level = static_cast<Index>(threadIdx.y); level < job.inner; level += level_groups)
            add_level(job, *job.a.from(row, level), level, sums);
    }
#pragma unroll
    for (int c = 0; c < thin; ++c) parts[threadIdx.y][c][threadIdx.x] = sums[c];
    __syncthreads();
    const Index col = static_cast<Index>(threadIdx.y);
    if (row >= job.rows || col >= job.cols) return;
    double sum = 0;
    for (int g = 0; g < level_groups; ++g) sum += static_cast<double>(parts[g][col][threadIdx.x]);
    put(job, row, col, static_cast<float>(sum));
}

void multiply_few_columns(Cuda& cuda, const DenseProduct& job) {
    const auto blocks_of = [&](int rows) { return static_cast<unsigned>((job.rows + rows - 1) / rows); };
    if (job.a.transposed) {
        few_columns_transposed_kernel<<<blocks_of(32), dim3(32, level_groups), 0, cuda.stream()>>>(job);
    } else {
        few_columns_kernel<<<blocks_of(thin_rows), thin_threads, 0, cuda.stream()>>>(job);
    }
    cuda_check(cudaGetLastError());
}

}  // namespace

void multiply(Cuda& cuda, const DenseProduct& job) {
    if (job.rows == 0 || job.cols == 0) return;
    if (job.inner <= thin) return cuda.each(Offset{job.rows} * job.cols, FewLevels{job});
    if (job.cols <= thin) return multiply_few_columns(cuda, job);
    if (job.a.transposed) {
        job.b.transposed ? launch<false, true>(cuda, job) : launch<false, false>(cuda, job);
    } else {
        job.b.transposed ? launch<true, true>(cuda, job) : launch<true, false>(cuda, job);
    }
}

}  // namespace dunlin::device
