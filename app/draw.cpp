// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/plots.hpp>

#include "commands.hpp"
#include "drawn_map.hpp"
#include "exit_code.hpp"
#include "flags.hpp"

namespace dunlin::app {

namespace {

struct DrawCommand {
    DrawnMapFiles files;
    CommonOptions common;
    picture::Options picture;
    std::string color = "labels";
};

int draw_map(DrawCommand& command) {
    if (command.common.outputs.empty()) command.common.outputs = {stem_of(command.files.map) + ".png"};
    for (const fs::path output : command.common.outputs) require_picture("--output", output);
    require_apart({command.files.map, command.files.graph, command.files.labels}, command.common,
                  as_outputs(command.common.outputs));
    const std::optional<ColorColumn> color = color_of(command.color, command.picture);
    const DrawnMap drawn = read_drawn_map(command.files, command.common);
    const io::MapFile& file = drawn.file;
    const std::optional<picture::Coloring> coloring = color ? std::optional(coloring_of(*color, file)) : std::nullopt;
    if (command.picture.title.empty()) command.picture.title = title_of(command.files, drawn);
    for (const std::string& output : command.common.outputs) {
        if (coloring) {
            picture::draw(output, *coloring, drawn.graph, file.map, file.ids, command.picture, command.common.run);
        } else if (command.files.graph.empty()) {
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
    add_drawn_map_flags(*sub, command->files);
    sub->add_option("-o,--output", command->common.outputs,
                    "file to write, repeatable: .png .svg .html (default: MAP's stem .png)")
        ->allow_extra_args(false);
    sub->add_flag("--quiet", command->common.quiet, "print nothing but errors");
    add_flags(*sub, command->picture, {"color"});
    add_color_flag(*sub, command->color);
    sub->callback([&action, command] { action = [command] { return draw_map(*command); }; });
}

}  // namespace dunlin::app
