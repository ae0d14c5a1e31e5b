// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/plots.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "drawn_map.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "per_point.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct DrawCommand {
    DrawnMapFiles files;
    CommonOptions common;
    picture::Options picture;
    picture::LandscapeOptions landscape;
    bool shares = false;
};

/// The shares of unreliable points, for the title. A share does not depend on the order of the rows.
std::string shares_of(const DrawCommand& command, const io::FileColumn& color, const Map& map) {
    const reliability::Columns columns = columns_of(read_color_table(color));
    const std::string words = shares_in_words(reliability::summarize(map, columns, command.common.run));
    if (words.empty()) {
        throw Error(
            Fault::bad_file,
            fmt::format("--shares: {} has neither a column 'home' nor 'lost'; dunlin score --per-point writes them",
                        color.file.string()));
    }
    return words;
}

int draw_map(DrawCommand& command) {
    if (command.common.outputs.empty()) command.common.outputs = {stem_of(command.files.map) + ".png"};
    options::check(command.landscape);
    const bool landscape = command.landscape.style == picture::MapStyle::landscape;
    if (landscape && !command.files.graph.empty())
        throw Error(Fault::bad_input, "--graph is read with --style points; a landscape has no edges");
    for (const fs::path output : command.common.outputs) require_picture("--output", output);
    require_apart({command.files.map, command.files.graph, command.files.labels}, command.common,
                  as_outputs(command.common.outputs));
    const std::vector<ColorChoice> choices =
        color_of(command.common, command.files.map, command.files.labels, command.picture);
    const DrawnMap drawn = read_drawn_map(command.files, command.common);
    const io::MapFile& file = drawn.file;
    const PictureColors colors = colors_of(command.common, choices, rows_of(command.files.map, file), file.labels);
    const std::optional<io::FileColumn> color = choices.size() == 1 ? choices.front().column : std::nullopt;
    if (landscape && choices.size() > 1)
        throw Error(Fault::bad_input, "--color is given more than once, and a landscape has one coloring; leave one");
    const bool reads_labels = std::ranges::any_of(choices, [](const ColorChoice& choice) { return !choice.column; });
    if (!reads_labels && !command.files.labels.empty() && !landscape) {
        throw Error(Fault::bad_input,
                    "--labels and --color FILE:COLUMN are both given; a point has one color, leave one "
                    "of them out, or give --color labels, too, for a panel of each");
    }
    if (command.shares && !color) {
        throw Error(Fault::bad_input,
                    "--shares reads the file of one --color FILE:COLUMN; give it, or leave --shares out");
    }
    if (command.shares && command.picture.title == "none")
        throw Error(Fault::bad_input, "--shares are appended to the title, and --title is none; leave one of them out");
    if (command.picture.title.empty()) command.picture.title = title_of(command.files, drawn);
    if (command.shares) command.picture.title += shares_of(command, *color, file.map);
    read_item_names(command.common, command.picture, rows_of(command.files.map, file), drawn.names);
    command.common.run.on_notice = print_notices(command.common.quiet);
    const Run& run = command.common.run;
    std::vector<fs::path> written;
    for (const std::string& output : command.common.outputs) {
        add_output(command.common, written, output, [&] {
            if (landscape)
                return picture::draw_landscape(output, file.map, colors.values ? file.labels : colors.labels,
                                               command.landscape, command.picture, run,
                                               colors.values ? &*colors.values : nullptr, file.ids);
            return draw(output, colors, drawn.graph, file.map, file.ids, command.picture, run);
        });
    }
    if (!command.common.quiet)
        for (const fs::path& path : written) put("wrote {}\n", path.string());
    throw_failure(command.common);
    return done;
}

}  // namespace

void add_draw(CLI::App& app, Action& action) {
    auto command = std::make_shared<DrawCommand>();
    CLI::App* sub = app.add_subcommand("draw", "draw a map");
    add_drawn_map_flags(*sub, command->files);
    sub->add_option("-o,--output", command->common.outputs,
                    "file to write, repeatable: .png .svg .pdf .html (default: MAP's stem .png)")
        ->allow_extra_args(false);
    sub->add_flag("--quiet", command->common.quiet, "print nothing but errors");
    add_picture_flags(*sub, command->picture, command->common);
    add_flags(*sub, command->landscape);
    sub->add_flag("--shares", command->shares,
                  "append the shares of unreliable points to the title, from the file of --color, a table of dunlin "
                  "score --per-point");
    sub->callback([&action, command] { action = [command] { return draw_map(*command); }; });
}

}  // namespace dunlin::app
