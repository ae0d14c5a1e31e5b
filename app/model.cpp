// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <dunlin/error.hpp>

#include "exit_code.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "point_maps.hpp"
#include "streams.hpp"

namespace dunlin::app {

void add_shift(parametric::Model& model, const std::vector<double>& shift, double sign) {
    for (std::size_t c = 0; c < shift.size(); ++c) model.shift[c] += sign * shift[c];
}

void take_scales(parametric::Model& model, const std::vector<double>& scale) {
    if (scale.empty() || model.layers.empty()) return;
    parametric::Layer& first = model.layers.front();
    const auto outputs = static_cast<std::size_t>(first.outputs);
    for (std::size_t c = 0; c < scale.size(); ++c) {
        model.shift[c] = scale[c] != 0 ? model.shift[c] / scale[c] : 0;
        for (std::size_t o = 0; o < outputs; ++o) {
            float& weight = first.weights[c * outputs + o];
            weight = static_cast<float>(static_cast<double>(weight) * scale[c]);
        }
    }
}

Json model_as_json(const parametric::Model& model) {
    auto json = Json::object();
    json["layers"] = {model.cols()};
    std::int64_t parameters = 0;
    for (const parametric::Layer& layer : model.layers) {
        json["layers"].push_back(layer.outputs);
        parameters += static_cast<std::int64_t>(layer.weights.size() + layer.biases.size());
    }
    if (!model.prototypes.empty()) json["prototypes"] = model.prototypes.size() / static_cast<std::size_t>(model.dim());
    json["activation"] = std::string(name_of(model.activation));
    json["parameters"] = parameters;
    return json;
}

namespace {

/// What new rows lose before they become float32; empty: nothing. Of models without a record of it: the whole shift.
std::vector<double> offset_of(const parametric::Model& model) {
    if (model.offset.empty()) return model.shift;
    const bool is_far = std::ranges::any_of(model.offset, [](double column) { return column != 0; });
    return is_far ? model.offset : std::vector<double>{};
}

}  // namespace

int transform_by_model(ModelTransform& command) {
    const Inputs inputs{command.input, command.model};
    const std::vector<fs::path> paths = outputs_of(command.common, inputs);
    Stopwatch watch;
    parametric::Model model = io::read_parametric_model(command.model, command.common.run);
    require_read(command.common, model.layers.empty());
    CommonOptions reading = command.common;
    reading.read.shift = offset_of(model);
    const io::Points rows = read_input_like(command.input, reading, command.model, model.columns);
    if (rows.values.cols() != model.cols()) {
        throw Error(Fault::bad_file,
                    fmt::format("{} has {} columns and {} was trained on {}; they must agree", command.input.string(),
                                rows.values.cols(), command.model.string(), model.cols()));
    }
    const PictureColors colors = colors_of_points(command.common, command.input, rows, command.picture);
    add_shift(model, rows.shift, -1);
    read_item_names(command.common, command.picture, rows_of(command.input, rows));
    StageSeconds spent{.read = watch.lap()};
    const parametric::HeldModel held(model, command.common.run, rows.values.rows());
    const Map map = held.transform(rows.values.view(), command.common.run);
    const double seconds = watch.lap();
    require_read(command.common, map.size() == 0);
    const std::string title =
        fmt::format("{} by {}, {} points", stem_of(command.input), stem_of(command.model), map.size());
    const std::vector<fs::path> written = write_map_outputs(command.common, command.picture, title, paths, rows, colors,
                                                            map, command.input, "parametric");
    spent.write = watch.lap();
    spent.total = watch.total();
    Outcome<Json> outcome;
    outcome.options = Json::object();
    outcome.device = held.device();
    if (outcome.device == Device::cuda) outcome.gpus = {command.common.run.gpu()};
    outcome.threads = threads_of(command.common.run);
    outcome.seed = command.common.run.seed;
    outcome.seconds["transform"] = seconds;
    Json report = report_of({"transform", "parametric", input_of(command.input, rows)}, outcome, spent, Json::object());
    report["model"] = model_as_json(model);
    report["model"]["path"] = command.model.string();
    return finish(command.common, report, written, outcome.stopped,
                  [&] { put("{} points, {:.3f} s\n", map.size(), seconds); });
}

}  // namespace dunlin::app
