// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mixture/cuda/sizes.hpp"

/// Products of 64 x 64 tiles in double by blocks of 8 warps, on tensor cores where they have double (from sm_80 on).
/// Each entry is a sum in the order of the inner dimension.
namespace dunlin::mixture {

constexpr int warp_rows = 32, warp_cols = 16;  ///< of the tile, for each warp: 2 x 4 warps

/// sum += a b, by a warp. Of the 8 x 4 matrix a, the lane has the entry (lane / 4, lane % 4), of the 4 x 8 matrix b
/// (lane % 4, lane / 4), of the sums (lane / 4, 2 (lane % 4)) and the next.
__device__ inline void multiply_add(double (&sum)[2], double a, double b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
    const int lane = static_cast<int>(threadIdx.x) % 32, row = lane / 4, col = lane % 4 * 2;
    for (int level = 0; level < 4; ++level) {
        const double left = __shfl_sync(~0U, a, row * 4 + level);
        sum[0] += left * __shfl_sync(~0U, b, col * 4 + level);
        sum[1] += left * __shfl_sync(~0U, b, (col + 1) * 4 + level);
    }
#else
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(a), "d"(b));
#endif
}

/// The part of a 64 x 64 tile of sums that a thread has.
struct TileSums {
    double at[4][2][2] = {};

    __device__ static int warp_row() { return static_cast<int>(threadIdx.x) / 128 * warp_rows; }
    __device__ static int warp_col() { return static_cast<int>(threadIdx.x) / 32 % 4 * warp_cols; }
    /// The row of at[m], and the column of at[..][n][0].
    __device__ static int row(int m) { return warp_row() + m * 8 + static_cast<int>(threadIdx.x) % 32 / 4; }
    __device__ static int col(int n) { return warp_col() + n * 8 + static_cast<int>(threadIdx.x) % 4 * 2; }

    /// Adds left(row, level) * right(level, col) over the levels of a tile in shared memory. All lanes of a warp must
    /// call it.
    template <class Left, class Right>
    __device__ void add(const Left& left, const Right& right) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int level = 0; level < tile_depth; level += 4) {
            double a[4], b[2];
#pragma unroll
            for (int m = 0; m < 4; ++m) a[m] = left(warp_row() + m * 8 + lane / 4, level + lane % 4);
#pragma unroll
            for (int n = 0; n < 2; ++n) b[n] = right(level + lane % 4, warp_col() + n * 8 + lane / 4);
#pragma unroll
            for (int m = 0; m < 4; ++m) {
#pragma unroll
                for (int n = 0; n < 2; ++n) multiply_add(at[m][n], a[m], b[n]);
            }
        }
    }
};

}  // namespace dunlin::mixture
