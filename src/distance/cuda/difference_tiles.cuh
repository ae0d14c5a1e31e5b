// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

/// Tiles of pairs of rows, compared by sums of their columns' differences in float32: 128 x 128 pairs by a block of 256
/// threads, 8 x 8 pairs each.
namespace dunlin::distance {

// A column's term, added to the sum of those before
struct AddSquare {
    __device__ static float to(float sum, float x, float y) { return fmaf(x - y, x - y, sum); }
};
struct AddMagnitude {
    __device__ static float to(float sum, float x, float y) { return sum + fabsf(x - y); }
};
struct AddProduct {
    __device__ static float to(float sum, float x, float y) { return fmaf(x, y, sum); }
};

struct DifferenceTile {
    static constexpr int rows = 128, chunk = 16, threads = 256, per_thread = 8;

    /// A chunk of columns of a tile's rows, column-major; columns start in different banks.
    using Panel = float[chunk][rows + 4];
    using Sums = float[per_thread][per_thread];

    /// Rows of a thread in the tile: fours, half a tile apart.
    __device__ static int place_of(int thread, int i) { return thread * 4 + i % 4 + i / 4 * (rows / 2); }
    /// The thread's numbers among those that divide the rows of x, and of y.
    __device__ static int across() { return static_cast<int>(threadIdx.x % 16); }
    __device__ static int down() { return static_cast<int>(threadIdx.x / 16); }

    /// A thread's share of a panel: half of row `row()`, from column `half()` on.
    __device__ static int row() { return static_cast<int>(threadIdx.x / 2); }
    __device__ static int half() { return static_cast<int>(threadIdx.x % 2) * (chunk / 2); }
    using Share = float[chunk / 2];
    __device__ static void store(const Share& share, Panel& panel) {
#pragma unroll
        for (int c = 0; c < chunk / 2; ++c) panel[half() + c][row()] = share[c];
    }

    /// Adds a chunk's columns in their order. sums[i][j]: of rows place_of(across(), i) of x, place_of(down(), j) of y.
    template <class Term>
    __device__ static void add(const Panel& x, const Panel& y, Sums& sums) {
#pragma unroll
        for (int c = 0; c < chunk; ++c) {
            float a[per_thread], b[per_thread];
            take(x[c], across(), a);
            take(y[c], down(), b);
#pragma unroll
            for (int i = 0; i < per_thread; ++i) {
#pragma unroll
                for (int j = 0; j < per_thread; ++j) sums[i][j] = Term::to(sums[i][j], a[i], b[j]);
            }
        }
    }

private:
    __device__ static void take(const float* column, int thread, float (&out)[per_thread]) {
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            const float4 four = *reinterpret_cast<const float4*>(column + thread * 4 + part * (rows / 2));
            out[4 * part] = four.x;
            out[4 * part + 1] = four.y;
            out[4 * part + 2] = four.z;
            out[4 * part + 3] = four.w;
        }
    }
};

}  // namespace dunlin::distance
