// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "layout/annealing.hpp"

namespace dunlin::layout {

constexpr int annealing_warps = 4;           ///< per block
constexpr int sequential_threads = 1024;     ///< threads of the single block that runs moves in sequence
constexpr int sequential_batch = 8;          ///< maximum batch of that block
constexpr Offset sequential_pairs = 100000;  ///< pairs that it evaluates before it returns to parallel batches

/// One warp per move; its lanes share the pairs and edges.
template <int D>
__global__ void __launch_bounds__(32 * annealing_warps) evaluate_kernel(NextMoves<D> moves) {
    const int k = static_cast<int>(blockIdx.x * annealing_warps + threadIdx.x / 32);
    if (k >= moves.count()) return;
    const double rise =
        device::group_sum<32>(moves.problem.rise(moves.move(k), static_cast<int>(threadIdx.x % 32), 32));
    if (threadIdx.x % 32 != 0) return;
    moves.rises[k] = rise;
    if (moves.is_accepted(k, rise)) atomicMin(&moves.state->first, k);
}

/// Runs moves one after another in a single block, without returning to the host: efficient while most moves are
/// accepted and batches are small. All threads share a move.
template <int D>
__global__ void __launch_bounds__(sequential_threads) sequential_kernel(NextMoves<D> moves) {
    AnnealingState& state = *moves.state;
    const Offset most = sequential_pairs / moves.problem.n + 1;
    for (Offset done = 0; done < most; ++done) {
        const int count = moves.count();
        if (count <= 0 || state.batch > sequential_batch) return;
        int first = 0;
        for (; first < count; ++first) {
            const double part =
                moves.problem.rise(moves.move(first), static_cast<int>(threadIdx.x), sequential_threads);
            const double rise = device::block_sum<sequential_threads>(part);
            __shared__ bool accepted;
            if (threadIdx.x == 0) accepted = moves.is_accepted(first, rise);
            __syncthreads();
            if (accepted) break;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (first < count) state.first = first;
            ApplyFirstAccepted<D>{moves}(0);
        }
        __syncthreads();
    }
}

/// GPU versions of functions of annealing.hpp. Only enqueue.
template <int D>
void evaluate_moves(device::Cuda& cuda, const NextMoves<D>& moves) {
    evaluate_kernel<<<max_batch / annealing_warps, 32 * annealing_warps, 0, cuda.stream()>>>(moves);
    device::cuda_check(cudaGetLastError());
}
template <int D>
void run_sequentially(device::Cuda& cuda, const NextMoves<D>& moves) {
    sequential_kernel<<<1, sequential_threads, 0, cuda.stream()>>>(moves);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::layout
