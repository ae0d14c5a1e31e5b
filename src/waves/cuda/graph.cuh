// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/cuda/axis.cuh"
#include "waves/cuda/slices.hpp"

/// A step of Euler's method on a graph in slices: a lane adds a row, and the lanes of a warp read consecutive targets;
/// a block adds the row of a hub.
namespace dunlin::waves {

/// Slices in device memory.
struct SlicedGraph {
    int rows, hubs;           ///< rows: of the slices; vertices[rows + h]: the hubs
    const int* vertices;      ///< vertex of each row
    const int* degrees;       ///< entries of each row
    const long long* begins;  ///< first entry of each slice, then of each hub
    const int* targets;
    const float* weights;  ///< null: all 1
};

struct GraphStep {
    Coefficients coefficients;
    double dt;
    SlicedGraph graph;
    const double* inverse_degree;  ///< null: combinatorial
    const double *v, *w;
    double *v_out, *w_out;
};

template <class Law>
__device__ __forceinline__ void step_vertex(const GraphStep& step, int i, double v, double laplacian) {
    Node u{v, 0};
    if constexpr (Law::recovers) u.w = step.w[i];
    if (step.inverse_degree != nullptr) laplacian = product(step.inverse_degree[i], laplacian);
    const Node rate = rates<Law>(step.coefficients, u, {laplacian, 0}, 0);
    step.v_out[i] = euler(step.dt, rate.v, u.v);
    if constexpr (Law::recovers) step.w_out[i] = euler(step.dt, rate.w, u.w);
}

template <class Law, bool is_weighted>
__global__ void __launch_bounds__(256) step_rows(const GraphStep step) {
    static_assert(!Law::spreads && !Law::driven);
    constexpr int chunk = 8;
    const SlicedGraph& graph = step.graph;
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= graph.rows) return;
    const int i = graph.vertices[row], degree = graph.degrees[row];
    const long long first = graph.begins[row / 32] + row % 32;
    const double v = step.v[i];
    double total = 0, part = 0;
    for (int k = 0; k < degree; k += chunk) {
        if (k > 0 && k % row_block == 0) total = sum(total, part), part = 0;
        int targets[chunk];
        double neighbors[chunk];
        float weights[chunk];
#pragma unroll
        for (int c = 0; c < chunk; ++c)
            targets[c] = k + c < degree ? __ldcs(graph.targets + first + (k + c) * 32LL) : i;
        if constexpr (is_weighted) {
#pragma unroll
            for (int c = 0; c < chunk; ++c)
                weights[c] = k + c < degree ? __ldcs(graph.weights + first + (k + c) * 32LL) : 0;
        }
#pragma unroll
        for (int c = 0; c < chunk; ++c) neighbors[c] = k + c < degree ? __ldg(step.v + targets[c]) : v;
#pragma unroll
        for (int c = 0; c < chunk; ++c)
            if (k + c < degree) part = plus_edge(part, is_weighted ? weights[c] : 1.0F, v, neighbors[c]);
    }
    step_vertex<Law>(step, i, v, sum(total, part));
}

/// One block a hub: a thread adds a block of the row, the first thread the blocks' sums in their order.
template <class Law, bool is_weighted>
__global__ void __launch_bounds__(256) step_hubs(const GraphStep step) {
    __shared__ double parts[256];
    const SlicedGraph& graph = step.graph;
    const int row = graph.rows + static_cast<int>(blockIdx.x);
    const int i = graph.vertices[row], degree = graph.degrees[row];
    const long long first = graph.begins[(graph.rows + 31) / 32 + blockIdx.x];
    const double v = step.v[i];
    double total = 0;
    for (int done = 0; done < degree; done += 256 * row_block) {
        const int begin = done + static_cast<int>(threadIdx.x) * row_block, end = min(begin + row_block, degree);
        double part = 0;
        for (int k = begin; k < end; ++k)
            part = plus_edge(part, is_weighted ? graph.weights[first + k] : 1.0F, v, step.v[graph.targets[first + k]]);
        parts[threadIdx.x] = part;
        __syncthreads();
        if (threadIdx.x == 0) {
            const int blocks = min(256, (degree - done + row_block - 1) / row_block);
            for (int b = 0; b < blocks; ++b) total = sum(total, parts[b]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) step_vertex<Law>(step, i, v, total);
}

}  // namespace dunlin::waves
