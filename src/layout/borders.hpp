// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "layout/drawing.hpp"

namespace dunlin::layout {

/// Edges whose attraction acts on the distance between disc borders, and not between overlapping discs (forceatlas2:
/// Jacomy, Venturini, Heymann and Bastian 2014, "Preventing overlapping"). All arrays are in the executor's memory.
struct BorderEdges {
    const float* radii;  ///< radii of the vertices
    const Offset* offsets;
    const Index* targets;
    const float* weights;
};

/// Uploads the radii; the graph must outlive the result.
template <class Exec, class AnyGraph>
BorderEdges borders_of(Exec& exec, Drawing<Exec>& drawing, const AnyGraph& graph, std::span<const float> radii) {
    exec.upload(drawing.radii, radii);
    return {drawing.radii.data(), graph.offsets.data(), graph.targets.data(), graph.weights.data()};
}

/// Attraction of all edges of a vertex, by a spring between borders.
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

/// As forces::attract (forces/attraction/springs.hpp); the edges of a vertex are added sequentially.
template <class Exec, class Spring>
void attract(Exec& exec, const BorderEdges& edges, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring) {
    by_plane_or_space(y.cols,
                      [&]<int D>() { exec.each(y.rows, BorderPull<D, Spring>{edges, spring, y.data, force.data}); });
}

}  // namespace dunlin::layout
