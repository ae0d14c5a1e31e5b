// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/network.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "item_names.hpp"
#include "network.hpp"
#include "point_maps.hpp"

namespace dunlin::app {

namespace {

using TsneCommand = PointsCommand<tsne::Options>;

int map_by_tsne(TsneCommand& command) {
    refuse_graph_style(command.picture, command.input);
    return map_points(command, [](const tsne::Result& result) { return Cost{"kl", "KL", {result.kl, result.kl_se}}; });
}

/// Throws for flags of t-SNE if the input of dunlin map is not points.
void refuse_flags(const CLI::App& flags, TsneCommand& command, std::string_view holds, std::string_view suited) {
    std::vector<std::string> useless = {"preset", "ids", "transpose", "columns", "drop-rows-with-gaps", "fill", "text"};
    fields([&](const auto& field) { useless.emplace_back(field.name); }, command.options);
    if (command.common.guess.holds == io::Holds::graph) useless.emplace_back("array");
    std::erase(useless, "dim");
    useless.insert(useless.end(), {"fixed", "grow", "state", "point-weights"});
    for (const std::string& name : useless) {
        if (flags.get_option("--" + name)->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; see "
                                                  "dunlin {} --help",
                                                  name, command.input.string(), holds, suited));
    }
}

/// dunlin map: selects the method by the input.
int map_anything(const CLI::App& flags, TsneCommand& command) {
    settle_holds(command.common, command.input);
    if (command.common.guess.holds == io::Holds::graph) {
        refuse_flags(flags, command, "a graph", "layout");
        return draw_graph(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    if (command.common.guess.holds == io::Holds::dissimilarities) {
        refuse_flags(flags, command, "dissimilarities", "mds");
        refuse_graph_style(command.picture, command.input);
        return scale_matrix(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    return map_by_tsne(command);
}

void add_command(CLI::App& app, Action& action, const std::string& name, const std::string& help) {
    auto command = std::make_shared<TsneCommand>();
    command->name = name;
    command->method = "tsne";
    command->title = "t-SNE of";
    CLI::App* sub = app.add_subcommand(name, help);
    const std::string others = name == "map" ? ", a graph (see dunlin layout) or dissimilarities (see dunlin mds)" : "";
    add_points(*sub, "INPUT", command->input, command->common, others);
    add_preset_flag<tsne::Preset>(*sub, command->options);
    add_flags(*sub, command->options, {}, &command->files);
    add_checkpoint_flags(*sub, command->common);
    add_watch_flags(*sub, command->common);
    add_continuing_flags(*sub, command->fixed, command->grow, command->state);
    sub->add_option("--point-weights", command->point_weights,
                    "a column of a file (name or 1-based number) with a weight above 0 per point: its share of the "
                    "affinities")
        ->type_name("FILE:COLUMN");
    command->flags = sub;
    if (name == "map") {
        add_picture_flags(*sub, command->picture, command->common);
    } else {
        add_point_picture_flags(*sub, command->picture, command->common);
    }
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command, sub] {
        action = [command, sub] {
            return command->name == "map" ? map_anything(*sub, *command) : map_by_tsne(*command);
        };
    });
}

}  // namespace

void add_tsne(CLI::App& app, Action& action) { add_command(app, action, "tsne", "a t-SNE map of points"); }

void add_map(CLI::App& app, Action& action) {
    add_command(app, action, "map",
                "a map of INPUT by the method for its kind (points: t-SNE, graphs: layout, "
                "dissimilarities: mds)");
}

}  // namespace dunlin::app
