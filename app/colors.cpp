// SPDX-License-Identifier: Apache-2.0
#include "colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "flags.hpp"
#include "matched.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// The .h5ad that FILE or FILE:MAP names; empty for another file.
fs::path annotated_of(const fs::path& main) {
    const io::FileColumn at = io::split_file_column(main.string());
    return is_annotated(at.file) ? at.file : fs::path{};
}

}  // namespace

void add_color_flags(CLI::App& app, CommonOptions& common, bool of_graph) {
    const std::string words = of_graph ? listed(names(picture::ColorBy{})) : "labels";
    app.add_option("--color", common.color,
                   std::string("what the colors show: labels, or a column of a file (name or 1-based number; of an "
                               ".h5ad obs:NAME or gene:NAME), words as classes and numbers as a scale") +
                       (of_graph ? "; of graphs also community or degree" : ""))
        ->type_name(words + "|FILE:COLUMN")
        ->capture_default_str();
    app.add_option("--colors", common.label_colors,
                   "colors of labels: a table of a label and #1a2b3c a row, or the .h5ad of --color obs:NAME")
        ->type_name("FILE");
}

io::FileColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else,
                            const fs::path& main) {
    if (io::FileColumn split = io::split_file_column(text); !split.file.empty()) return split;
    if (const fs::path annotated = annotated_of(main); !annotated.empty() && !text.empty())
        if (text.starts_with("obs:") || text.starts_with("gene:") || text.find(':') == std::string::npos)
            return {annotated, text};
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw Error(Fault::bad_input, fmt::format("{} is '{}'; it must be {}FILE or FILE:COLUMN", flag, text, or_else));
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string labels_of(const std::string& labels, const fs::path& main) {
    const fs::path annotated = annotated_of(main);
    if (annotated.empty() || !io::split_file_column(labels).file.empty()) return labels;
    return annotated.string() + ":" + labels;
}

std::optional<io::FileColumn> color_of(const CommonOptions& common, const fs::path& main, const std::string& labels,
                                       picture::Options& options) {
    if (!common.label_colors.empty()) {
        const std::string column = common.color == CommonOptions().color ? labels : common.color;
        const io::FileColumn at = io::split_file_column(column);
        options.colors = picture::read_label_colors(common.label_colors, at.file.empty() ? column : at.column);
    }
    if (const auto by = value_named<picture::ColorBy>(common.color)) {
        options.color = *by;
        return std::nullopt;
    }
    return column_named("--color", common.color, listed(names(picture::ColorBy{})) + " or ", main);
}

picture::Coloring coloring_of(const io::FileColumn& at, io::NumberColumn column) {
    if (!column.values.empty() && std::ranges::none_of(column.values, [](double v) { return std::isfinite(v); }))
        tell("warning: column '{}' of {} has no number\n", column.name, at.file.string());
    return {std::move(column.values), std::move(column.name)};
}

PictureColors colors_of(const CommonOptions& common, const std::optional<io::FileColumn>& column,
                        const io::NamedRows& rows, const Labels& labels) {
    if (!column) return {{}, labels};
    io::ColorColumn read = matched_color(common, *column, rows);
    if (!read.numbers) return {{}, std::move(read.classes.labels)};
    return {coloring_of(*column, std::move(*read.numbers)), {}};
}

bool draw(const fs::path& path, const PictureColors& colors, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const picture::Options& options, const Run& run) {
    if (colors.values) return picture::draw(path, *colors.values, graph, map, ids, options, run);
    if (graph.size() == 0) return picture::draw(path, map, colors.labels, ids, options, run);
    return picture::draw(path, graph, map, colors.labels, ids, options, run);
}

}  // namespace dunlin::app
