// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>
#include <dunlin/network.hpp>

#include "common.hpp"

/// Helpers of the subcommands that take a graph with a map.
namespace dunlin::app {

/// Sorts the points of a map into the order of the graph's vertices, by id if the map has ids. Vertices without a name
/// are called 0, 1, ..., but those of a matrix are its rows. Throws Error{bad_file} if a vertex is not in the map.
io::MapFile in_order_of(const CommonOptions& common, io::MapFile map, const fs::path& map_path,
                        const io::Network& network, const fs::path& graph_path);

/// Prints the notes of the reader of a graph, and what it left out or replaced.
void print_notes(const CommonOptions& common, const fs::path& path, const io::Network& network);

/// Throws for a flag of the picture that shows edges or vertices, before a map of an input that is no graph is made.
void refuse_graph_style(const picture::Options& picture, const fs::path& input);

/// DOT's unit is a point; one map unit is an inch.
constexpr float points_per_unit = 72;
/// Units of a network's positions and sizes per map unit.
inline float units_of(const io::Network& network) { return network.kind == "dot" ? points_per_unit : 1; }
Map scaled(Map map, float factor);

/// Writes a drawing with its graph if the format supports it, else as a map.
void write_drawing(const fs::path& path, const io::Network& network, const Map& map);

}  // namespace dunlin::app
