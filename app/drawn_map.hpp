// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/columns.hpp>

#include "common.hpp"

/// Maps that are drawn or viewed: their files, colors and title.
namespace dunlin::app {

struct DrawnMapFiles {
    fs::path map, graph;
    std::string labels, array;
};
void add_drawn_map_flags(CLI::App& app, DrawnMapFiles& files);

/// A map, and its graph, if any.
struct DrawnMap {
    io::MapFile file;
    Graph graph;
    std::vector<std::string> names = {};  ///< beside the vertices; empty: the ids of the map
};
DrawnMap read_drawn_map(const DrawnMapFiles& files, const CommonOptions& common);

/// "digits, 1797 points"
std::string title_of(const DrawnMapFiles& files, const DrawnMap& drawn);

/// The table of the column. Missing values are allowed; their points are gray.
io::Points read_color_table(const io::FileColumn& color);

}  // namespace dunlin::app
