// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mixture/cuda/warp_product.cuh"

/// Log densities of rows under Gaussians, in double: log_scale - |W (x - mean)|^2 / 2 with the whitening W of each.
namespace dunlin::mixture {

/// Rows of a chunk (count x cols) and components; densities: components x stride, of which `count` are written.
template <class Value>
struct DensityTask {
    const Value* rows;
    Index count, cols, components;
    const double* means;       ///< components x cols
    const double* factors;     ///< W, see the kernels
    const double* log_scales;  ///< of each component
    double* densities;
    Offset stride;
};

/// Diagonal W: factors are components x cols; null: ones. A block computes 16 Rows x 16 Components of the densities.
/// Shifts: W (x - mean) is W (x - c) - W (mean - c), one multiply-add in place of a difference and a product, where c
/// is the mean of the first component. Its rounding error is that of W (mean - c), so means must be near each other
/// (most_deviations); where the origin is does not matter.
template <class Value, bool HasFactors, int Rows, int Components, bool Shifts>
__global__ void __launch_bounds__(block_threads) diagonal_kernel(DensityTask<Value> task) {
    __shared__ double rows[tile_depth][16 * Rows + 1], means[tile_depth][16 * Components + 1],
        factors[tile_depth][16 * Components + 1];
    const Index row_tiles = (task.count + 16 * Rows - 1) / (16 * Rows);
    const Index first_row = static_cast<Index>(blockIdx.x % row_tiles) * (16 * Rows);
    const Index first_component = static_cast<Index>(blockIdx.x / row_tiles) * (16 * Components);
    const int thread = static_cast<int>(threadIdx.x), level = thread % tile_depth, item = thread / tile_depth;
    const int of_row = thread % 16, of_component = thread / 16;

    double sums[Rows][Components] = {};
    for (Index begin = 0; begin < task.cols; begin += tile_depth) {
        const Index col = begin + level, levels = min(tile_depth, task.cols - begin);
        const double center = Shifts && col < task.cols ? task.means[col] : 0.0;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            const Index row = first_row + item + 16 * r;
            const bool there = col < task.cols && row < task.count;
            const double x = there ? static_cast<double>(task.rows[Offset{row} * task.cols + col]) : 0.0;
            rows[level][item + 16 * r] = x - center;
        }
#pragma unroll
        for (int c = 0; c < Components; ++c) {
            const Index component = first_component + item + 16 * c;
            const bool there = col < task.cols && component < task.components;
            const Offset at = Offset{component} * task.cols + col;
            const double mean = there ? task.means[at] : 0.0, factor = HasFactors && there ? task.factors[at] : 1.0;
            means[level][item + 16 * c] = Shifts ? (mean - center) * factor : mean;
            if (HasFactors) factors[level][item + 16 * c] = factor;
        }
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < levels; ++l) {
            double x[Rows];
#pragma unroll
            for (int r = 0; r < Rows; ++r) x[r] = rows[l][of_row + 16 * r];
#pragma unroll
            for (int c = 0; c < Components; ++c) {
                const double mean = means[l][of_component + 16 * c];
                const double factor = HasFactors ? factors[l][of_component + 16 * c] : 1.0;
#pragma unroll
                for (int r = 0; r < Rows; ++r) {
                    const double white = Shifts ? x[r] * factor - mean : (x[r] - mean) * factor;
                    sums[r][c] += white * white;
                }
            }
        }
    }
#pragma unroll
    for (int c = 0; c < Components; ++c) {
        const Index component = first_component + of_component + 16 * c;
        if (component >= task.components) continue;
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            const Index row = first_row + of_row + 16 * r;
            if (row >= task.count) continue;
            task.densities[component * task.stride + row] = task.log_scales[component] - 0.5 * sums[r][c];
        }
    }
}

/// Lower triangular W of at most few_columns columns: factors are components x cols x cols, row-major. A thread takes a
/// row, and a block factors_at_once components, one after another.
__global__ void __launch_bounds__(block_threads) few_columns_full_kernel(DensityTask<float> task) {
    alignas(16) __shared__ double factors[factors_at_once][few_columns][few_columns];
    __shared__ double means[factors_at_once][few_columns];
    const Index row_tiles = (task.count + block_threads - 1) / block_threads;
    const int thread = static_cast<int>(threadIdx.x);
    const Index row = static_cast<Index>(blockIdx.x % row_tiles) * block_threads + thread;
    const Index first = static_cast<Index>(blockIdx.x / row_tiles) * factors_at_once;
    const Index here = min(factors_at_once, task.components - first);
    const Index square = task.cols * task.cols;
    for (Index i = thread; i < here * square; i += block_threads) {
        const Index in_square = i % square;
        factors[i / square][in_square / task.cols][in_square % task.cols] = task.factors[Offset{first} * square + i];
    }
    for (Index i = thread; i < here * task.cols; i += block_threads)
        means[i / task.cols][i % task.cols] = task.means[Offset{first} * task.cols + i];
    __syncthreads();
    if (row >= task.count) return;

    double x[few_columns];
#pragma unroll
    for (int col = 0; col < few_columns; ++col)
        x[col] = col < task.cols ? static_cast<double>(task.rows[Offset{row} * task.cols + col]) : 0.0;
    for (Index k = 0; k < here; ++k) {
        double from_mean[few_columns], square_sum = 0;
#pragma unroll
        for (int i = 0; i < few_columns; ++i) {
            if (i >= task.cols) break;
            from_mean[i] = x[i] - means[k][i];
            double white = 0;
#pragma unroll
            for (int j = 0; j <= i; ++j) white += factors[k][i][j] * from_mean[j];
            square_sum += white * white;
        }
        task.densities[(first + k) * task.stride + row] = task.log_scales[first + k] - 0.5 * square_sum;
    }
}

/// A stage of the product (X - mean) W^T: 16 columns of X, and of the rows of W.
struct FullStage {
    double rows[4], factors[4];

    /// Loads columns begin, .. of 64 rows from first_row and of 64 rows of W from first_factor: a thread four of each.
    __device__ void fetch(const DensityTask<float>& task, const double* mean, const double* factor, Index first_row,
                          Index first_factor, Index begin) {
        const Index item = static_cast<Index>(threadIdx.x) / 4, level = begin + static_cast<Index>(threadIdx.x) % 4 * 4;
        const Index row = first_row + item, of_factor = first_factor + item;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const Index col = level + e;
            const bool has_row = row < task.count && col < task.cols,
                       has_factor = of_factor < task.cols && col < task.cols;
            rows[e] = has_row ? static_cast<double>(task.rows[Offset{row} * task.cols + col]) - mean[col] : 0.0;
            factors[e] = has_factor ? factor[Offset{of_factor} * task.cols + col] : 0.0;
        }
    }
};

/// Writes a tile of W (x - mean) to task.densities, count x cols.
__device__ inline void write_white(const DensityTask<float>& task, const TileSums& sums, Index first_row,
                                   Index first_col) {
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        const Index row = first_row + TileSums::row(m);
        if (row >= task.count) continue;
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const Index col = first_col + TileSums::col(n) + e;
                if (col < task.cols) task.densities[Offset{row} * task.cols + col] = sums.at[m][n][e];
            }
        }
    }
}

/// Lower triangular W: factors are components x cols x cols, row-major with zeros above the diagonal. A block takes 64
/// rows and a component. Whitens: writes the rows W (x - mean) of the first component to task.densities, count x cols.
template <bool Whitens>
__global__ void __launch_bounds__(block_threads, 2) full_kernel(DensityTask<float> task) {
    constexpr int pitch = tile_depth + 4;  // a warp reads 4 x 4 neighbors of a tile without bank conflicts
    __shared__ double row_tile[tile_side][pitch], factor_tile[tile_side][pitch], squares[4][tile_side];
    const Index row_tiles = (task.count + tile_side - 1) / tile_side;
    const Index first_row = static_cast<Index>(blockIdx.x % row_tiles) * tile_side;
    const Index component = static_cast<Index>(blockIdx.x / row_tiles);
    const double* mean = task.means + Offset{component} * task.cols;
    const double* factor = task.factors + Offset{component} * task.cols * task.cols;
    const int item = static_cast<int>(threadIdx.x) / 4, level = static_cast<int>(threadIdx.x) % 4 * 4;

    double parts[4] = {};
    FullStage stage;
    stage.fetch(task, mean, factor, first_row, 0, 0);
    for (Index first = 0; first < task.cols; first += tile_side) {
        TileSums sums;
        const Index end = min(task.cols, first + tile_side), last_of_warp = first + TileSums::warp_col() + warp_cols;
        for (Index begin = 0; begin < end; begin += tile_depth) {
            __syncthreads();
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                row_tile[item][level + e] = stage.rows[e];
                factor_tile[item][level + e] = stage.factors[e];
            }
            __syncthreads();
            const bool is_last = begin + tile_depth >= end;
            stage.fetch(task, mean, factor, first_row, is_last ? first + tile_side : first,
                        is_last ? 0 : begin + tile_depth);
            if (begin >= last_of_warp || first + TileSums::warp_col() >= task.cols) continue;  // zeros of W
            sums.add([&](int row, int l) { return row_tile[row][l]; },
                     [&](int l, int col) { return factor_tile[col][l]; });
        }
        if (Whitens) {
            write_white(task, sums, first_row, first);
        } else {
#pragma unroll
            for (int m = 0; m < 4; ++m) {
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    parts[m] += sums.at[m][n][0] * sums.at[m][n][0] + sums.at[m][n][1] * sums.at[m][n][1];
                }
            }
        }
    }
    if (!Whitens) {
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            parts[m] += __shfl_xor_sync(~0U, parts[m], 1);
            parts[m] += __shfl_xor_sync(~0U, parts[m], 2);
            if (threadIdx.x % 4 == 0) squares[threadIdx.x / 32 % 4][TileSums::row(m)] = parts[m];
        }
        __syncthreads();
        const Index row = first_row + static_cast<Index>(threadIdx.x);
        if (threadIdx.x < tile_side && row < task.count) {
            const double square =
                squares[0][threadIdx.x] + squares[1][threadIdx.x] + squares[2][threadIdx.x] + squares[3][threadIdx.x];
            task.densities[component * task.stride + row] = task.log_scales[component] - 0.5 * square;
        }
    }
}

}  // namespace dunlin::mixture
