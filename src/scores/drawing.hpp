// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"

/// Helpers of the scores of a drawing.
namespace dunlin::scores {

/// Throws Error{bad_input} unless the graph has the map's size and an edge, and the options are valid.
void check_drawing(const char* score, const Graph& graph, const Map& map, const LayoutOptions& options);

/// Throws Error{bad_input} for a map that is not 2-D.
void check_flat(const char* score, const Map& map);

inline double distance(const Map& map, Index a, Index b) {
    const MatrixView<const float> y = map.view();
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        const double d = static_cast<double>(y(a, c)) - static_cast<double>(y(b, c));
        sum += d * d;
    }
    return std::sqrt(sum);
}

/// Vertices of degree >= `least`, ascending.
std::vector<Index> vertices_of_degree(Offset least, const Graph& graph);

}  // namespace dunlin::scores
