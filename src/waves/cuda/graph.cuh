// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/cuda/axis.cuh"
#include "waves/cuda/slices.hpp"

/// Laplacians of a graph in slices: a lane adds a row, and the lanes of a warp read consecutive targets. The rows of
/// hubs are added before, by a block each.
namespace dunlin::waves {

/// Values of both species in device memory; w: null for models of one species.
struct Pair {
    double *v = nullptr, *w = nullptr;
};

/// Slices in device memory.
struct SlicedGraph {
    int rows = 0, hubs = 0;             ///< rows: of the slices; vertices[rows + h]: the hubs
    const int* vertices = nullptr;      ///< vertex of each row
    const int* degrees = nullptr;       ///< entries of each row
    const long long* begins = nullptr;  ///< first entry of each slice, then of each hub
    const int* targets = nullptr;
    const float* weights = nullptr;  ///< null: all 1
    Pair hub_sums;                   ///< of each hub, from add_hubs
};

/// Adds the row of vertex i in slices: 8 entries are loaded at once.
template <bool spreads, bool is_weighted>
__device__ __forceinline__ Node sum_of_slice(const SlicedGraph& graph, const Pair& values, int row, int i) {
    constexpr int chunk = 8;
    static_assert(row_block % chunk == 0);
    const int degree = graph.degrees[row];
    const long long first = graph.begins[row / 32] + row % 32;
    const Node here{values.v[i], spreads ? values.w[i] : 0};
    Node total, part;
    for (int k = 0; k < degree; k += chunk) {
        if (k > 0 && k % row_block == 0) total = {sum(total.v, part.v), sum(total.w, part.w)}, part = {};
        int targets[chunk];
        float weights[chunk];
        Node neighbors[chunk];
#pragma unroll
        for (int c = 0; c < chunk; ++c)
            targets[c] = k + c < degree ? __ldcs(graph.targets + first + (k + c) * 32LL) : i;
        if constexpr (is_weighted) {
#pragma unroll
            for (int c = 0; c < chunk; ++c)
                weights[c] = k + c < degree ? __ldcs(graph.weights + first + (k + c) * 32LL) : 0;
        }
#pragma unroll
        for (int c = 0; c < chunk; ++c) {
            neighbors[c] = here;
            if (k + c < degree) neighbors[c].v = __ldg(values.v + targets[c]);
            if constexpr (spreads)
                if (k + c < degree) neighbors[c].w = __ldg(values.w + targets[c]);
        }
#pragma unroll
        for (int c = 0; c < chunk; ++c) {
            if (k + c >= degree) continue;
            const float weight = is_weighted ? weights[c] : 1.0F;
            part.v = plus_edge(part.v, weight, here.v, neighbors[c].v);
            if constexpr (spreads) part.w = plus_edge(part.w, weight, here.w, neighbors[c].w);
        }
    }
    return {sum(total.v, part.v), sum(total.w, part.w)};
}

/// Sum of differences to the neighbors of vertex i, whose row this is.
template <bool spreads>
__device__ __forceinline__ Node sum_of_row(const SlicedGraph& graph, const Pair& values, int row, int i) {
    if (row >= graph.rows) {
        const int h = row - graph.rows;
        return {graph.hub_sums.v[h], spreads ? graph.hub_sums.w[h] : 0};
    }
    return graph.weights == nullptr ? sum_of_slice<spreads, false>(graph, values, row, i)
                                    : sum_of_slice<spreads, true>(graph, values, row, i);
}

/// Sums of the rows of hubs, one block each: a thread adds a block of the row, the first thread the blocks' sums in
/// their order.
template <bool spreads>
__global__ void __launch_bounds__(256) add_hubs(const SlicedGraph graph, const Pair values) {
    __shared__ double parts_v[256], parts_w[256];
    const int row = graph.rows + static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
    const int i = graph.vertices[row], degree = graph.degrees[row];
    const long long first = graph.begins[(graph.rows + 31) / 32 + blockIdx.x];
    const Node here{values.v[i], spreads ? values.w[i] : 0};
    Node total;
    for (int done = 0; done < degree; done += 256 * row_block) {
        const int begin = done + thread * row_block, end = min(begin + row_block, degree);
        Node part;
        for (int k = begin; k < end; ++k) {
            const int j = graph.targets[first + k];
            const float weight = graph.weights == nullptr ? 1.0F : graph.weights[first + k];
            part.v = plus_edge(part.v, weight, here.v, values.v[j]);
            if constexpr (spreads) part.w = plus_edge(part.w, weight, here.w, values.w[j]);
        }
        parts_v[thread] = part.v;
        if constexpr (spreads) parts_w[thread] = part.w;
        __syncthreads();
        if (thread == 0) {
            const int blocks = min(256, (degree - done + row_block - 1) / row_block);
            for (int b = 0; b < blocks; ++b) {
                total.v = sum(total.v, parts_v[b]);
                if constexpr (spreads) total.w = sum(total.w, parts_w[b]);
            }
        }
        __syncthreads();
    }
    if (thread != 0) return;
    graph.hub_sums.v[blockIdx.x] = total.v;
    if constexpr (spreads) graph.hub_sums.w[blockIdx.x] = total.w;
}

}  // namespace dunlin::waves
