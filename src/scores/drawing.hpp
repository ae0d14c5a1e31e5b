// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"
#include "scores/map_distance.hpp"

/// Helpers of the scores of a drawing.
namespace dunlin::scores {

/// Throws Error{bad_input} unless the graph has the map's size and an edge, and the options are valid.
void check_drawing(const char* score, const Graph& graph, const Map& map, const LayoutOptions& options);

/// Throws Error{bad_input} for a map that is not 2-D.
void check_flat(const char* score, const Map& map);

/// Vertices of degree >= `least`, ascending.
std::vector<Index> vertices_of_degree(Offset least, const Graph& graph);

}  // namespace dunlin::scores
