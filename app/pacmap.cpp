// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <dunlin/pacmap.hpp>

#include "commands.hpp"
#include "point_maps.hpp"

namespace dunlin::app {

void add_pacmap(CLI::App& app, Action& action) {
    auto command = std::make_shared<PointsCommand<pacmap::Options>>();
    command->name = command->method = "pacmap";
    command->title = "PaCMAP of";
    CLI::App* sub = app.add_subcommand("pacmap", "a PaCMAP map of points");
    add_points(*sub, "INPUT", command->input, command->common);
    add_flags(*sub, command->options, {}, &command->files);
    add_checkpoint_flags(*sub, command->common);
    add_watch_flags(*sub, command->common);
    add_continuing_flags(*sub, command->fixed, command->grow, command->state);
    command->flags = sub;
    add_point_picture_flags(*sub, command->picture, command->common);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command] {
        action = [command] {
            return map_points(*command, [](const pacmap::Result& result) {
                return Cost{"loss", "loss", {result.loss, result.loss_se}};
            });
        };
    });
}

}  // namespace dunlin::app
