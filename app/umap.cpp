// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <dunlin/umap.hpp>

#include "commands.hpp"
#include "point_maps.hpp"

namespace dunlin::app {

void add_umap(CLI::App& app, Action& action) {
    auto command = std::make_shared<PointsCommand<umap::Options>>();
    command->name = command->method = "umap";
    command->title = "UMAP of";
    CLI::App* sub = app.add_subcommand("umap", "a UMAP map of points");
    add_points(*sub, "INPUT", command->input, command->common);
    add_preset_flag<umap::Preset>(*sub, command->options);
    add_flags(*sub, command->options, {}, &command->files);
    add_checkpoint_flags(*sub, command->common);
    add_watch_flags(*sub, command->common);
    add_continuing_flags(*sub, command->fixed, command->grow, command->state);
    command->flags = sub;
    add_point_picture_flags(*sub, command->picture, command->common);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command] {
        action = [command] {
            return map_points(*command, [](const umap::Result& result) {
                return Cost{"cross_entropy", "cross entropy", {result.cross_entropy, result.cross_entropy_se}};
            });
        };
    });
}

}  // namespace dunlin::app
