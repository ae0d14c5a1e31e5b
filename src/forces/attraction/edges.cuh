// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"
#include "math/vec.hpp"

/// Loads of edges and of the positions of their ends in kernels.
namespace dunlin::forces::edges {

using View = graph::DeviceGraph::View;

template <int D>
using Position = math::Vec<float, D>;

template <int D>
__device__ Position<D> position_of(const float* y, Index i) {
    Position<D> place;
    if constexpr (D == 2) {
        const float2 both = __ldg(reinterpret_cast<const float2*>(y) + i);
        place.at[0] = both.x;
        place.at[1] = both.y;
    } else {
        for (int c = 0; c < D; ++c) place.at[c] = __ldg(y + Offset{i} * D + c);
    }
    return place;
}

/// delta = from - to; returns |delta|^2.
template <int D>
__device__ float difference(const Position<D>& from, const Position<D>& to, Position<D>& delta) {
    float r2 = 0;
    for (int c = 0; c < D; ++c) {
        delta.at[c] = from.at[c] - to.at[c];
        r2 += delta.at[c] * delta.at[c];
    }
    return r2;
}

/// Four edges from a multiple of 4 on, in two loads. Edges outside the row [begin, end) get weight 0.
struct Quad {
    alignas(16) Index target[4];
    alignas(16) float weight[4];

    __device__ Quad(const View& graph, Offset place, Offset begin, Offset end) {
        if (place + 4 <= graph.edges) {
            *reinterpret_cast<int4*>(target) = __ldcs(reinterpret_cast<const int4*>(graph.targets + place));
            *reinterpret_cast<float4*>(weight) = __ldcs(reinterpret_cast<const float4*>(graph.weights + place));
        } else {
            for (int e = 0; e < 4; ++e) {
                target[e] = graph.targets[min(place + e, graph.edges - 1)];
                weight[e] = graph.weights[min(place + e, graph.edges - 1)];
            }
        }
        for (int e = 0; e < 4; ++e) {
            if (place + e < begin || place + e >= end) weight[e] = 0;
        }
    }
};

/// Sum of edge(..) over those edges of a row that belong to lane `lane` of `lanes`.
template <int D, class Edge>
__device__ typename Edge::Sum sum_edges(const View& graph, const float* y, const Edge& edge, Index row, Offset begin,
                                        Offset end, int lane, int lanes) {
    typename Edge::Sum sum;
    const Position<D> from = position_of<D>(y, row);
    for (Offset quad = begin / 4 + lane; 4 * quad < end; quad += lanes) {
        const Quad edges(graph, 4 * quad, begin, end);
        Position<D> to[4];  // issue all loads before the first use
        for (int e = 0; e < 4; ++e) to[e] = position_of<D>(y, edges.target[e]);
        for (int e = 0; e < 4; ++e) edge(edges.weight[e], from, to[e], sum);
    }
    return sum;
}

}  // namespace dunlin::forces::edges
