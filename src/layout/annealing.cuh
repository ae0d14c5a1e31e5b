// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "layout/annealing.hpp"

namespace dunlin::layout {

constexpr int annealing_warps = 4;       ///< of a block
constexpr int walking_threads = 1024;    ///< of the block that walks alone
constexpr int walked_together = 8;       ///< moves that it takes at once, at most
constexpr Offset walked_pairs = 100000;  ///< and the pairs that it weighs before it hands over

/// A warp a move: its lanes share the pairs and edges.
template <int D>
__global__ void __launch_bounds__(32 * annealing_warps) look_kernel(NextMoves<D> moves) {
    const int k = static_cast<int>(blockIdx.x * annealing_warps + threadIdx.x / 32);
    if (k >= moves.count()) return;
    const double rise = device::group_sum<32>(moves.scene.rise(moves.move(k), static_cast<int>(threadIdx.x % 32), 32));
    if (threadIdx.x % 32 != 0) return;
    moves.rises[k] = rise;
    if (moves.keeps(k, rise)) atomicMin(&moves.course->first, k);
}

/// While most moves are kept, few are looked at together, and each waits for the last: one block goes through them
/// without coming back to the host or waiting for others. All of its threads share a move.
template <int D>
__global__ void __launch_bounds__(walking_threads) walk_kernel(NextMoves<D> moves) {
    AnnealingState& course = *moves.course;
    const Offset most = walked_pairs / moves.scene.n + 1;
    for (Offset walked = 0; walked < most; ++walked) {
        const int count = moves.count();
        if (count <= 0 || course.at_once > walked_together) return;
        int first = 0;
        for (; first < count; ++first) {
            const double part = moves.scene.rise(moves.move(first), static_cast<int>(threadIdx.x), walking_threads);
            const double rise = device::block_sum<walking_threads>(part);
            __shared__ bool kept;
            if (threadIdx.x == 0) kept = moves.keeps(first, rise);
            __syncthreads();
            if (kept) break;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (first < count) course.first = first;
            ApplyFirstAccepted<D>{moves}(0);
        }
        __syncthreads();
    }
}

/// Words of annealing.hpp. Only enqueue.
template <int D>
void look_at(device::Cuda& cuda, const NextMoves<D>& moves) {
    look_kernel<<<most_at_once / annealing_warps, 32 * annealing_warps, 0, cuda.stream()>>>(moves);
    device::cuda_check(cudaGetLastError());
}
template <int D>
void walk(device::Cuda& cuda, const NextMoves<D>& moves) {
    walk_kernel<<<1, walking_threads, 0, cuda.stream()>>>(moves);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::layout
