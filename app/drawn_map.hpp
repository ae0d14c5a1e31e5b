// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <dunlin/columns.hpp>
#include <dunlin/plots.hpp>

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

void add_color_flag(CLI::App& app, std::string& color);
/// The value FILE or FILE:COLUMN of a flag. or_else: what else the flag takes, "a|b or ".
io::FileColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else = "");
/// --color FILE:COLUMN, or nothing for a word, which goes to the options of the picture.
std::optional<io::FileColumn> color_of(const std::string& color, picture::Options& options);
/// The table of the column. Missing values are allowed; their points are gray.
io::Points read_color_table(const io::FileColumn& color);
/// The values of the points of the map `path`, matched by id; points without a row are gray.
picture::Coloring coloring_of(const CommonOptions& common, const io::FileColumn& color, const io::MapFile& map,
                              const fs::path& path);

}  // namespace dunlin::app
