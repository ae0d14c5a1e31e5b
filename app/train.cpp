// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/parametric.hpp>
#include <dunlin/scores.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "model.hpp"
#include "point_maps.hpp"
#include "report.hpp"
#include "scores.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct TrainCommand {
    fs::path input;
    CommonOptions common;
    parametric::Options options;
    picture::Options picture;
    scores::Extent scores = scores::Extent::sampled;
};

bool is_model(const fs::path& path) { return path.extension() == ".npz"; }

/// Outputs: models, and files of the map.
struct TrainOutputs {
    std::vector<fs::path> models, maps;
};

/// Those of --output, or STEM.model.npz, and the map's where all are models or none is given.
TrainOutputs outputs_of_training(const TrainCommand& command) {
    TrainOutputs outputs;
    CommonOptions of_map = command.common;
    of_map.outputs.clear();
    for (const std::string& output : command.common.outputs) {
        if (is_model(output)) {
            outputs.models.emplace_back(output);
        } else {
            of_map.outputs.push_back(output);
        }
    }
    const bool none = command.common.outputs.empty();
    if (none) outputs.models.emplace_back(stem_of(command.input) + ".model.npz");
    if (outputs.models.empty()) {
        throw Error(Fault::bad_input,
                    "--output names no model; give a file that ends in .npz, and the map's files beside it",
                    {.option = "output"});
    }
    constexpr std::string_view model[] = {".npz"};
    for (const fs::path& path : outputs.models) require_output("--output", path, "a model is", model);
    if (none || !of_map.outputs.empty()) outputs.maps = outputs_of(of_map, {command.input});
    std::vector<fs::path> all = outputs.models;
    all.insert(all.end(), outputs.maps.begin(), outputs.maps.end());
    require_apart({command.input}, command.common, as_outputs(all));
    return outputs;
}

Json quality_of(const parametric::Result& result) {
    auto quality = Json::object();
    const bool whole = result.options.loss == parametric::Loss::whole;
    put_score(quality, whole ? "kl" : "batch_kl", {result.kl, 0});
    if (result.options.pretrain == parametric::Pretrain::map) put_score(quality, "tsne_kl", {result.kl_of_start, 0});
    if (result.options.pretrain != parametric::Pretrain::none)
        put_score(quality, "pretrain_error", {result.pretrain_error, 0});
    if (result.options.pretrain == parametric::Pretrain::rbm)
        put_score(quality, "pretrain_variance", {result.pretrain_variance, 0});
    return quality;
}

/// A machine that reconstructs rows no better than their mean has learned nothing, and its network starts from noise.
void warn_of_pretraining(const CommonOptions& common, const parametric::Result& result) {
    if (common.quiet || !(result.pretrain_error >= result.pretrain_variance)) return;
    tell(
        "Warning: the pretraining has learned nothing: its reconstructions differ from the rows by {:.3g}, and the "
        "mean row by {:.3g} (mean squares); give --visible {}, a smaller --pretrain-rate, or --pretrain map\n",
        result.pretrain_error, result.pretrain_variance,
        result.options.visible == parametric::Visible::binary ? "gaussian" : "binary");
}

int train_model(TrainCommand& command) {
    prepare(command.common);
    refuse_graph(command.input);
    const TrainOutputs outputs = outputs_of_training(command);
    Stopwatch watch;
    const io::Points points = read_input(command.input, command.common);
    read_item_names(command.common, command.picture, rows_of(command.input, points));
    const PictureColors colors = colors_of_points(command.common, command.input, points, command.picture);
    StageSeconds spent{.read = watch.lap()};
    parametric::Result result = blame_file(command.input, points, kmeans::largest_number, [&] {
        return parametric::train(points.values.view(), command.options, run_of_method(command.common));
    });
    require_read(command.common, result.model.layers.empty());
    take_scales(result.model, points.scale);
    warn_of_pretraining(command.common, result);
    add_shift(result.model, points.shift);
    result.model.offset = points.shift.empty() ? std::vector<double>(result.model.shift.size()) : points.shift;
    result.model.columns = points.columns;
    watch.lap();

    Json quality = quality_of(result);
    if (command.scores != scores::Extent::none && result.stopped != Stopped::cancelled && result.map.dim <= 3) {
        const scores::Options options{.extent = command.scores};
        quality.update(scores_as_json(scores::evaluate(result.map, points.values.view(), {}, points.labels, options,
                                                       on_first_gpu(command.common.run))));
    }
    spent.score = watch.lap();
    std::vector<fs::path> written;
    for (const fs::path& path : outputs.models)
        add_output(command.common, written, path, [&] { io::write_parametric_model(path, result.model); });
    if (!outputs.maps.empty()) {
        const std::string title =
            title_of("parametric t-SNE of", command.input, result.map.size(), {"kl", "KL", {result.kl, 0}}, quality);
        const std::vector<fs::path> maps = write_map_outputs(command.common, command.picture, title, outputs.maps,
                                                             points, colors, result.map, command.input, "parametric");
        written.insert(written.end(), maps.begin(), maps.end());
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    const std::string method(name_of(result.options.pretrain));
    Json report =
        report_of({"train", method, input_of(command.input, points)}, outcome_as_json(result), spent, quality);
    report["model"] = model_as_json(result.model);
    return finish(command.common, report, written, result.stopped, [&] { print_quality(quality); });
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
    auto command = std::make_shared<TrainCommand>();
    CLI::App* sub = app.add_subcommand("train", "trains a network that maps points, also new ones (dunlin transform)");
    add_points(*sub, "POINTS", command->input, command->common);
    add_flags(*sub, command->options);
    add_checkpoint_flags(*sub, command->common);
    add_point_picture_flags(*sub, command->picture, command->common);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command] { action = [command] { return train_model(*command); }; });
}

}  // namespace dunlin::app
