#pragma once

#include "device/cuda.cuh"
#include "layout/annealing.hpp"

namespace dunlin::layout {

constexpr int annealing_warps = 4;  ///< of a block

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

/// A word of annealing.hpp. Only enqueues.
template <int D>
void look_at(device::Cuda& cuda, const NextMoves<D>& moves) {
    look_kernel<<<most_at_once / annealing_warps, 32 * annealing_warps, 0, cuda.stream()>>>(moves);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::layout
