// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <dunlin/error.hpp>
#include <dunlin/plots.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"

namespace dunlin::app {

namespace {

struct DrawCommand {
    fs::path map, graph;
    std::string labels;
    io::NetworkOptions network;
    CommonOptions common;
    picture::Options picture;
    std::string color = "labels";
};

/// A map, and its graph, if any.
struct DrawnMap {
    io::MapFile file;
    Graph graph;
};

DrawnMap read(const DrawCommand& command) {
    DrawnMap drawn{io::read_map(command.map), {}};
    print_notes(command.common, command.map, drawn.file.notes);
    if (!command.graph.empty()) {
        io::Network network = io::read_network(command.graph, command.network);
        print_notes(command.common, command.graph, network.notes);
        drawn.file = in_order_of(std::move(drawn.file), command.map, network, command.graph);
        if (!network.ids.empty()) drawn.file.ids = std::move(network.ids);
        if (!network.labels.empty()) drawn.file.labels = std::move(network.labels);
        drawn.graph = std::move(network.graph);
    } else if (!command.labels.empty()) {
        drawn.file.labels = io::read_labels(command.labels);
    }
    return drawn;
}

/// A file and one of its columns, for the colors.
struct ColorColumn {
    fs::path file;
    std::string column;
};

/// --color FILE:COLUMN, or nothing for a word, which goes to the options of the picture.
std::optional<ColorColumn> color_of(DrawCommand& command) {
    if (const auto by = value_named<picture::ColorBy>(command.color)) {
        command.picture.color = *by;
        return std::nullopt;
    }
    const auto colon = command.color.rfind(':');
    if (colon == std::string::npos || colon == 0) {
        throw Error(Fault::bad_input, fmt::format("--color is '{}'; it must be {} or FILE:COLUMN", command.color,
                                                  listed(names(picture::ColorBy{}))));
    }
    return ColorColumn{command.color.substr(0, colon), command.color.substr(colon + 1)};
}

/// The index of a column, given by name or 1-based number.
Index column_of(const io::Points& points, const ColorColumn& color) {
    const auto named = std::find(points.columns.begin(), points.columns.end(), color.column);
    if (named != points.columns.end()) return static_cast<Index>(named - points.columns.begin());
    Index number = 0;
    const char* end = color.column.data() + color.column.size();
    const auto [after, fault] = std::from_chars(color.column.data(), end, number);
    if (fault == std::errc() && after == end && number >= 1 && number <= points.values.cols()) return number - 1;
    throw Error(Fault::bad_file,
                fmt::format("{} has no column '{}'; its columns are {} or 1 to {}", color.file.string(), color.column,
                            fmt::join(points.columns, ", "), points.values.cols()));
}

/// The values of the points of a map, by id if both files have ids, else by order.
picture::Coloring coloring_of(const ColorColumn& color, const io::MapFile& map) {
    const io::Points points = io::read_points(color.file);
    const Index column = column_of(points, color), n = map.map.size();
    if (points.values.rows() != n) {
        throw Error(Fault::bad_file, fmt::format("{} has {} rows and the map {} points; they must agree",
                                                 color.file.string(), points.values.rows(), n));
    }
    const double shift = points.shift.empty() ? 0 : points.shift[static_cast<std::size_t>(column)];
    std::unordered_map<std::string_view, Index> row_of;
    if (!map.ids.empty()) {
        for (std::size_t row = 0; row < points.ids.size(); ++row) row_of[points.ids[row]] = static_cast<Index>(row);
    }
    picture::Coloring coloring{
        {}, points.columns.empty() ? color.column : points.columns[static_cast<std::size_t>(column)]};
    for (Index i = 0; i < n; ++i) {
        Index row = i;
        if (!row_of.empty()) {
            const auto found = row_of.find(map.ids[static_cast<std::size_t>(i)]);
            if (found == row_of.end()) {
                throw Error(Fault::bad_file, fmt::format("{} has no row '{}', which is a point of the map",
                                                         color.file.string(), map.ids[static_cast<std::size_t>(i)]));
            }
            row = found->second;
        }
        coloring.values.push_back(static_cast<double>(points.values.view()(row, column)) + shift);
    }
    return coloring;
}

std::string title_of(const DrawCommand& command, const DrawnMap& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(command.map), drawn.file.map.size());
    return command.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

int draw_map(DrawCommand& command) {
    if (command.common.outputs.empty()) command.common.outputs = {stem_of(command.map) + ".png"};
    for (const fs::path output : command.common.outputs) require_picture("--output", output);
    require_apart({command.map, command.graph, command.labels}, command.common, as_outputs(command.common.outputs));
    command.network.labels = command.labels;
    const std::optional<ColorColumn> color = color_of(command);
    const DrawnMap drawn = read(command);
    const io::MapFile& file = drawn.file;
    const std::optional<picture::Coloring> coloring = color ? std::optional(coloring_of(*color, file)) : std::nullopt;
    if (command.picture.title.empty()) command.picture.title = title_of(command, drawn);
    for (const std::string& output : command.common.outputs) {
        if (coloring) {
            picture::draw(output, *coloring, drawn.graph, file.map, file.ids, command.picture, command.common.run);
        } else if (command.graph.empty()) {
            picture::draw(output, file.map, file.labels, file.ids, command.picture, command.common.run);
        } else {
            picture::draw(output, drawn.graph, file.map, file.labels, file.ids, command.picture, command.common.run);
        }
        if (!command.common.quiet) fmt::print("wrote {}\n", output);
    }
    return done;
}

}  // namespace

void add_draw(CLI::App& app, Action& action) {
    auto command = std::make_shared<DrawCommand>();
    CLI::App* sub = app.add_subcommand("draw", "draw a map");
    sub->add_option("MAP", command->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("-o,--output", command->common.outputs,
                    "file to write, repeatable: .png .svg .html (default: MAP's stem .png)")
        ->allow_extra_args(false);
    sub->add_option("--graph", command->graph, "graph of the map, whose edges are drawn");
    sub->add_option(
        "--labels", command->labels,
        "a file with one label per point, or an attribute of the graph's vertices (default: the map's own)");
    sub->add_flag("--quiet", command->common.quiet, "print nothing but errors");
    add_flags(*sub, command->picture, {"color"});
    sub->add_option("--color", command->color,
                    "what the colors show: a column of a file (name or 1-based number), with a continuous legend; of "
                    "graphs also labels, community or degree")
        ->type_name("labels|community|degree|FILE:COLUMN")
        ->capture_default_str();
    sub->callback([&action, command] { action = [command] { return draw_map(*command); }; });
}

}  // namespace dunlin::app
