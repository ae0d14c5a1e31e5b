// SPDX-License-Identifier: Apache-2.0
#include "drawn_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>

#include "flags.hpp"
#include "network.hpp"

namespace dunlin::app {

DrawnMap read_drawn_map(const DrawnMapFiles& files, const CommonOptions& common) {
    io::NetworkOptions network_options;
    network_options.labels = files.labels;
    DrawnMap drawn{io::read_map(files.map), {}};
    print_notes(common, files.map, drawn.file.notes);
    if (!files.graph.empty()) {
        io::Network network = io::read_network(files.graph, network_options);
        print_notes(common, files.graph, network);
        drawn.file = in_order_of(std::move(drawn.file), files.map, network, files.graph);
        if (!network.ids.empty()) drawn.file.ids = std::move(network.ids);
        if (!network.labels.empty()) drawn.file.labels = std::move(network.labels);
        drawn.graph = std::move(network.graph);
    } else if (!files.labels.empty()) {
        drawn.file.labels = io::read_labels(files.labels);
    }
    return drawn;
}

std::optional<ColorColumn> color_of(const std::string& color, picture::Options& options) {
    if (const auto by = value_named<picture::ColorBy>(color)) {
        options.color = *by;
        return std::nullopt;
    }
    return column_named("--color", color, listed(names(picture::ColorBy{})) + " or ");
}

ColorColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw Error(Fault::bad_input, fmt::format("{} is '{}'; it must be {}FILE:COLUMN", flag, text, or_else));
    return {text.substr(0, colon), text.substr(colon + 1)};
}

io::Points read_color_table(const ColorColumn& color) {
    io::ReadOptions options;
    options.missing = true;
    return io::read_points(color.file, options);
}

picture::Coloring coloring_of(const ColorColumn& color, const io::MapFile& map) {
    const io::NumberColumn column = io::read_column(color.file, color.column);
    const auto n = static_cast<std::size_t>(map.map.size());
    if (column.values.size() != n) {
        throw Error(Fault::bad_file, fmt::format("{} has {} rows and the map {} points; they must agree",
                                                 color.file.string(), column.values.size(), n));
    }
    if (n > 0 && std::ranges::none_of(column.values, [](double value) { return std::isfinite(value); }))
        fmt::print(stderr, "warning: column '{}' of {} has no number\n", column.name, color.file.string());
    picture::Coloring coloring{column.values, column.name};
    if (map.ids.empty() || column.ids.empty()) return coloring;
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t row = 0; row < n; ++row) row_of[column.ids[row]] = row;
    for (std::size_t i = 0; i < n; ++i) {
        const auto found = row_of.find(map.ids[i]);
        if (found == row_of.end()) {
            throw Error(Fault::bad_file, fmt::format("{} has no row '{}', which is a point of the map",
                                                     color.file.string(), map.ids[i]));
        }
        coloring.values[i] = column.values[found->second];
    }
    return coloring;
}

std::string title_of(const DrawnMapFiles& files, const DrawnMap& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(files.map), drawn.file.map.size());
    return files.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

void add_drawn_map_flags(CLI::App& app, DrawnMapFiles& files) {
    app.add_option("MAP", files.map, "the map: .csv .tsv .npy .json")->required();
    app.add_option("--graph", files.graph, "graph of the map, whose edges are drawn");
    app.add_option("--labels", files.labels,
                   "a file with one label per point, or an attribute of the graph's vertices (default: the map's own)");
}

void add_color_flag(CLI::App& app, std::string& color) {
    app.add_option("--color", color,
                   "what the colors show: a column of a file (name or 1-based number), with a continuous legend; of "
                   "graphs also labels, community or degree")
        ->type_name("labels|community|degree|FILE:COLUMN")
        ->capture_default_str();
}

}  // namespace dunlin::app
