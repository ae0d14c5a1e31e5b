// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>
#include <dunlin/network.hpp>

#include "common.hpp"

/// What the subcommands share that take a graph beside a map.
namespace dunlin::app {

/// The map with its points in the order of the graph's vertices: by name where the map has names, else as they are.
/// Vertices without a name are called 0, 1, ... Throws Error{bad_file} if they do not agree in number, or if a vertex
/// is not in the map.
io::MapFile in_order_of(io::MapFile map, const fs::path& map_path, const io::Network& network,
                        const fs::path& graph_path);

/// DOT counts in points: an inch of it is one map unit.
constexpr float points_per_unit = 72;
Map scaled(Map map, float factor);

/// Writes a drawing with its graph where the extension has room for it, else as any map.
void write_drawing(const fs::path& path, const io::Network& network, const Map& map);

}  // namespace dunlin::app
