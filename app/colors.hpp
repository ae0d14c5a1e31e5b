// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/match.hpp>
#include <dunlin/panels.hpp>

#include "common.hpp"

/// --color of every command that draws: what the colors of points or vertices show.
namespace dunlin::app {

/// --color and --colors. of_graph: the command may draw a graph, so that community and degree are listed.
void add_color_flags(CLI::App& app, CommonOptions& common, bool of_graph);

/// The value FILE or FILE:COLUMN of a flag. or_else: what else the flag takes, "a|b or ". main: an .h5ad, of which a
/// column without a file is (obs:NAME, gene:NAME or NAME), or any other file.
io::FileColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else = "",
                            const fs::path& main = {});

/// The value of --labels. Puts the .h5ad `main` in front of a column that names no file. Does not check the value: the
/// readers of labels do.
std::string labels_of(const std::string& labels, const fs::path& main);

/// One value of --color: a word, or FILE:COLUMN.
struct ColorChoice {
    std::string text;
    std::optional<io::FileColumn> column = {};
    picture::ColorBy by = picture::ColorBy::labels;
    std::vector<picture::LabelColor> own = {};  ///< the colors of --colors
};

/// All values of --color. Puts the word and the colors of a single value into the options of the picture. labels: the
/// value of --labels, which decides the colors without --color.
std::vector<ColorChoice> color_of(const CommonOptions& common, const fs::path& main, const std::string& labels,
                                  picture::Options& options);

/// Throws if colors show communities or degrees although the input is not a graph.
void refuse_graph_colors(const std::vector<ColorChoice>& choices, const fs::path& input);

/// The column as colors. Says if it has no number.
picture::Coloring coloring_of(const io::FileColumn& at, io::NumberColumn column);

/// The colors of a picture: numbers, else labels; those of the first of several panels.
struct PictureColors {
    std::optional<picture::Coloring> values = {};
    Labels labels = {};
    std::vector<picture::Panel> panels = {};  ///< of more than one --color, all
};

/// The colors by --color of the rows, matched by id, else by the labels of the input. Rows without a color are gray.
PictureColors colors_of(const CommonOptions& common, const std::vector<ColorChoice>& choices, const io::NamedRows& rows,
                        const Labels& labels);

/// Draws a map with these colors. A graph without vertices: points only.
bool draw(const fs::path& path, const PictureColors& colors, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const picture::Options& options, const Run& run);

}  // namespace dunlin::app
