// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"
#include "graph/half_graph.cuh"
#include "math/vec.hpp"

/// Loads of edges and of the positions of their ends in kernels.
namespace dunlin::forces::edges {

using View = graph::DeviceGraph::View;
using HalfView = graph::HalfGraph::View;

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

/// Four edges of a part of a HalfGraph.
struct HalfQuad {
    alignas(16) Index target[4];
    float weight[4];

    __device__ HalfQuad(const graph::HalfGraph::Part& part, float unit, Offset place, Offset begin, Offset end) {
        if (place + 4 <= part.edges) {
            *reinterpret_cast<int4*>(target) = __ldcs(reinterpret_cast<const int4*>(part.targets + place));
            const uint2 both = __ldcs(reinterpret_cast<const uint2*>(part.weights + place));
            const float2 first = __half22float2(*reinterpret_cast<const __half2*>(&both.x));
            const float2 second = __half22float2(*reinterpret_cast<const __half2*>(&both.y));
            weight[0] = first.x, weight[1] = first.y, weight[2] = second.x, weight[3] = second.y;
        } else {
            for (int e = 0; e < 4; ++e) {
                target[e] = part.targets[min(place + e, part.edges - 1)];
                weight[e] = __half2float(part.weights[min(place + e, part.edges - 1)]);
            }
        }
        for (int e = 0; e < 4; ++e) weight[e] = place + e < begin || place + e >= end ? 0 : fabsf(weight[e]) * unit;
    }
};

/// Sum of edge(..) over those edges of [begin, end) that belong to lane `lane` of `lanes`, of the edges quad_at(place).
template <int D, class Edge, class QuadAt>
__device__ void add_quads(const QuadAt& quad_at, const float* y, const Edge& edge, const Position<D>& from,
                          Offset begin, Offset end, int lane, int lanes, typename Edge::Sum& sum) {
    for (Offset quad = begin / 4 + lane; 4 * quad < end; quad += lanes) {
        const auto edges = quad_at(4 * quad);
        Position<D> to[4];  // issue all loads before the first use
        for (int e = 0; e < 4; ++e) to[e] = position_of<D>(y, edges.target[e]);
        for (int e = 0; e < 4; ++e) edge(edges.weight[e], from, to[e], sum);
    }
}

/// Edges of a row.
__device__ inline Offset edges_of(const View& graph, Index row) { return graph.offsets[row + 1] - graph.offsets[row]; }
__device__ inline Offset edges_of(const HalfView& graph, Index row) {
    return graph.degree + graph.reverse_offsets[row + 1] - graph.reverse_offsets[row];
}

/// Sum of edge(..) over those edges of [begin, end), of a row, that belong to lane `lane` of `lanes`.
template <int D, class Edge>
__device__ typename Edge::Sum sum_edges(const View& graph, const float* y, const Edge& edge, Index row, Offset begin,
                                        Offset end, int lane, int lanes) {
    typename Edge::Sum sum;
    add_quads<D>([&](Offset place) { return Quad(graph, place, begin, end); }, y, edge, position_of<D>(y, row), begin,
                 end, lane, lanes, sum);
    return sum;
}

/// Sum over all edges of a row.
template <int D, class Edge>
__device__ typename Edge::Sum sum_row(const View& graph, const float* y, const Edge& edge, Index row, int lane,
                                      int lanes) {
    return sum_edges<D>(graph, y, edge, row, graph.offsets[row], graph.offsets[row + 1], lane, lanes);
}
template <int D, class Edge>
__device__ typename Edge::Sum sum_row(const HalfView& graph, const float* y, const Edge& edge, Index row, int lane,
                                      int lanes) {
    typename Edge::Sum sum;
    const Position<D> from = position_of<D>(y, row);
    const auto add = [&](const graph::HalfGraph::Part& part, Offset begin, Offset end) {
        add_quads<D>([&](Offset place) { return HalfQuad(part, graph.unit, place, begin, end); }, y, edge, from, begin,
                     end, lane, lanes, sum);
    };
    add(graph.lists, Offset{row} * graph.degree, Offset{row + 1} * graph.degree);
    add(graph.reverse, graph.reverse_offsets[row], graph.reverse_offsets[row + 1]);
    return sum;
}

}  // namespace dunlin::forces::edges
