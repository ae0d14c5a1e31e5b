// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>

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

std::string title_of(const DrawCommand& command, const DrawnMap& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(command.map), drawn.file.map.size());
    return command.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

int draw_map(DrawCommand& command) {
    if (command.common.outputs.empty()) command.common.outputs = {stem_of(command.map) + ".png"};
    for (const fs::path output : command.common.outputs) require_picture("--output", output);
    require_apart({command.map, command.graph, command.labels}, command.common, as_outputs(command.common.outputs));
    command.network.labels = command.labels;
    const DrawnMap drawn = read(command);
    const io::MapFile& file = drawn.file;
    if (command.picture.title.empty()) command.picture.title = title_of(command, drawn);
    for (const std::string& output : command.common.outputs) {
        if (command.graph.empty()) {
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
    add_picture_flags(*sub, command->picture);
    sub->callback([&action, command] { action = [command] { return draw_map(*command); }; });
}

}  // namespace dunlin::app
