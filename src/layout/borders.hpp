// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "layout/drawing.hpp"

namespace dunlin::layout {

/// A graph's edges, which pull by the distance between their ends' borders, and not where these overlap: forceatlas2's
/// (Jacomy, Venturini, Heymann and Bastian 2014, "Preventing overlapping"). All arrays lie where the vertices do.
struct BorderEdges {
    const float* radii;  ///< of vertices
    const Offset* offsets;
    const Index* targets;
    const float* weights;
};

/// Takes the radii to where the vertices are, and the graph, which must outlive the edges, lies.
template <class Exec, class AnyGraph>
BorderEdges borders_of(Exec& exec, Drawing<Exec>& drawing, const AnyGraph& graph, std::span<const float> radii) {
    exec.upload(drawing.radii, radii);
    return {drawing.radii.data(), graph.offsets.data(), graph.targets.data(), graph.weights.data()};
}

/// The pull of all edges on a vertex, by a spring between borders.
template <int D, class Spring>
struct BorderPull {
    BorderEdges edges;
    Spring spring;
    const float* y;
    float* pulls;
    DUNLIN_HD void operator()(Offset i) const {
        double sum[D] = {};
        for (Offset e = edges.offsets[i]; e < edges.offsets[i + 1]; ++e) {
            const Index j = edges.targets[e];
            float delta[D], r2 = 0;
            for (int c = 0; c < D; ++c) {
                delta[c] = y[Offset{j} * D + c] - y[i * D + c];
                r2 += delta[c] * delta[c];
            }
            const float d = sqrtf(r2), gap = d - edges.radii[i] - edges.radii[j];
            if (!(gap > 0)) continue;
            const float pull = spring.attraction(edges.weights[e], gap * gap) * gap / d;
            for (int c = 0; c < D; ++c) sum[c] += double(pull * delta[c]);
        }
        for (int c = 0; c < D; ++c) pulls[i * D + c] = static_cast<float>(sum[c]);
    }
};

/// As forces::attract (attraction_springs.hpp); a vertex' edges are added one after the other.
template <class Exec, class Spring>
void attract(Exec& exec, const BorderEdges& edges, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring) {
    by_dimension(y.cols, [&]<int D>() { exec.each(y.rows, BorderPull<D, Spring>{edges, spring, y.data, force.data}); });
}

}  // namespace dunlin::layout
