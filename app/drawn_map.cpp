// SPDX-License-Identifier: Apache-2.0
#include "drawn_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/labels.hpp>

#include "flags.hpp"
#include "matched.hpp"
#include "network.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// --labels; what is no file is a column of obs of an annotated matrix.
std::string labels_of_map(const DrawnMapFiles& files) {
    const io::FileColumn map = io::split_file_column(files.map.string());
    if (!is_annotated(map.file) || !io::split_file_column(files.labels).file.empty()) return files.labels;
    return map.file.string() + ":" + files.labels;
}

}  // namespace

DrawnMap read_drawn_map(const DrawnMapFiles& files, const CommonOptions& common) {
    io::NetworkOptions network_options;
    network_options.labels = files.labels;
    DrawnMap drawn{io::read_map(array_of_map(files.map, files.array)), {}};
    // Labels of the map itself are not used beside others
    std::vector<io::Note> own;
    if (!files.labels.empty()) note_unlabeled(drawn.file.labels, own);
    std::erase_if(drawn.file.notes, [&](const io::Note& note) { return !own.empty() && note.what == own[0].what; });
    print_notes(common, files.map, drawn.file.notes);
    if (!files.graph.empty()) {
        io::Network network = io::read_network(files.graph, network_options);
        print_notes(common, files.graph, network);
        drawn.file = in_order_of(common, std::move(drawn.file), files.map, network, files.graph);
        drawn.names = std::move(network.names);
        if (!network.ids.empty()) drawn.file.ids = std::move(network.ids);
        if (!network.labels.empty()) drawn.file.labels = std::move(network.labels);
        drawn.graph = std::move(network.graph);
    } else if (!files.labels.empty()) {
        drawn.file.labels = matched_labels(common, labels_of_map(files), rows_of(files.map, drawn.file));
    }
    return drawn;
}

std::optional<io::FileColumn> color_of(const std::string& color, picture::Options& options) {
    if (const auto by = value_named<picture::ColorBy>(color)) {
        options.color = *by;
        return std::nullopt;
    }
    return column_named("--color", color, listed(names(picture::ColorBy{})) + " or ");
}

io::FileColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else) {
    if (io::FileColumn split = io::split_file_column(text); !split.file.empty()) return split;
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw Error(Fault::bad_input, fmt::format("{} is '{}'; it must be {}FILE or FILE:COLUMN", flag, text, or_else));
    return {text.substr(0, colon), text.substr(colon + 1)};
}

io::Points read_color_table(const io::FileColumn& color) {
    io::ReadOptions options;
    options.missing = true;
    return io::read_points(color.file, options);
}

picture::Coloring coloring_of(const CommonOptions& common, const io::FileColumn& color, const io::MapFile& map,
                              const fs::path& path) {
    io::NumberColumn column = matched_column(common, color, rows_of(path, map), io::Lonely::allowed);
    if (!column.values.empty() &&
        std::ranges::none_of(column.values, [](double value) { return std::isfinite(value); }))
        tell("warning: column '{}' of {} has no number\n", column.name, color.file.string());
    return {std::move(column.values), column.name};
}

std::string title_of(const DrawnMapFiles& files, const DrawnMap& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(files.map), drawn.file.map.size());
    return files.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

void add_drawn_map_flags(CLI::App& app, DrawnMapFiles& files) {
    app.add_option("MAP", files.map, "the map: " + formats::help_of(formats::map))->required();
    app.add_option("--array", files.array, "name of the map in an .h5ad with several (obsm)")->type_name("NAME");
    app.add_option("--graph", files.graph, "graph of the map, whose edges are drawn");
    app.add_option(
        "--labels", files.labels,
        "a file with one label per point, FILE or FILE:COLUMN, or an attribute of the graph's vertices (default: "
        "the map's own)");
}

void add_color_flag(CLI::App& app, std::string& color) {
    app.add_option("--color", color,
                   "what the colors show: a column of a file (name or 1-based number), with a continuous legend; of "
                   "graphs also labels, community or degree")
        ->type_name("labels|community|degree|FILE:COLUMN")
        ->capture_default_str();
}

}  // namespace dunlin::app
