// SPDX-License-Identifier: Apache-2.0
#include "parametric/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/neighbors.hpp>
#include <dunlin/tsne.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "parametric/batch_loss.hpp"
#include "parametric/optimize.hpp"
#include "parametric/stages.hpp"
#include "parametric/whole_loss.hpp"
#include "scores/kl.hpp"
#include "tsne/law.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::parametric {

StandardMap::StandardMap(const Map& map) : values(map.coordinates), means(at(map.dim)) {
    const double n = map.size();
    for (std::size_t i = 0; i < values.size(); ++i) means[i % means.size()] += static_cast<double>(values[i]) / n;
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double centered = static_cast<double>(values[i]) - means[i % means.size()];
        squares += centered * centered;
    }
    if (squares > 0) deviation = std::sqrt(squares / static_cast<double>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((static_cast<double>(values[i]) - means[i % means.size()]) / deviation);
}

namespace {

using CpuNetwork = Network<device::Cpu>;

/// The name of a stage of t-SNE.
std::string_view name_in_training(std::string_view stage) {
    return stage == "optimize" || stage == "score" ? "map" : stage;
}

/// KL of the map of all points; the network's outputs times `scale` are places.
template <class Law>
struct MapLoss {
    static constexpr bool keeps_batches = false;
    WholeLoss<Law>& loss;
    const TrainingRows& rows;
    float scale;
    std::vector<float> places = {};

    void begin(device::Cpu& cpu, CpuNetwork& network) {
        std::vector<float> map = outputs_of(cpu, network, rows);
        for (float& value : map) value *= scale;
        loss.refresh(cpu, std::move(map));
    }
    double gradient(device::Cpu& cpu, Index, const Index* of, Index count, const float* outputs, float* gradient) {
        const std::size_t size = at(count) * at(loss.dim());
        places.assign(outputs, outputs + size);
        for (float& value : places) value *= scale;
        const double part = loss.gradient(cpu, of, count, places.data(), gradient);
        for (std::size_t i = 0; i < size; ++i) gradient[i] *= scale;
        return part;
    }
    [[nodiscard]] double cost(double sum) const { return loss.kl(sum); }
};

/// Mean KL of the batches, which are the same in all epochs.
template <class Law>
struct BatchLoss {
    static constexpr bool keeps_batches = true;
    const std::vector<Graph>& affinities;  ///< of each batch
    Law law;
    Index dim;

    void begin(device::Cpu&, CpuNetwork&) {}
    double gradient(device::Cpu& cpu, Index batch, const Index*, Index count, const float* outputs, float* gradient) {
        return batch_kl(cpu, law, affinities[at(batch)], {outputs, count, dim}, {gradient, count, dim});
    }
    [[nodiscard]] double cost(double sum) const { return sum / static_cast<double>(affinities.size()); }
};

}  // namespace

Training::Training(device::Cpu& cpu, MatrixView<const float> points, const Options& resolved,
                   const PointStatistics& statistics, const Run& run)
    : cpu_(cpu),
      run_(run),
      options_(resolved),
      scaling_(scaling_of(resolved, statistics)),
      shift_(scaling_.shift.begin(), scaling_.shift.end()),
      rows_{points, shift_.data(), static_cast<float>(scaling_.scale)},
      network_(NetworkShape(widths_of(resolved, points.cols), activation_of(resolved))),
      output_shift_(at(resolved.dim)) {
    run_.device = Device::cpu;
}

void Training::pretrain(Result& result) {
    network_.draw(cpu_, run_.seed);
    if (options_.pretrain == Pretrain::map) regress(result);
    if (options_.pretrain == Pretrain::rbm) {
        result.pretrain_error = pretrain_stack(cpu_, network_, rows_, options_, run_);
        result.seconds["pretrain"] += watch_.lap();
    }
    is_trained_ = true;
}

void Training::optimize(Result& result) {
    watch_.lap();
    find_affinities(result);
    tsne::with_law(options_.freedom, [&](const auto& law) { descend(law, result); });
    result.seconds["optimize"] += watch_.lap();
}

void Training::score(Result& result) {
    const device::ProgressReporter reporter(run_, "score", 1);
    result.kl = tsne::with_law(options_.freedom, [&](const auto& law) {
        if (options_.loss == Loss::batch) return mean_of_batches(law);
        return scores::kl_on_cpu(cpu_, law, affinities_.front(), result.map, {}, run_.seed).value;
    });
    result.seconds["score"] += watch_.lap();
}

Model Training::model() const {
    Model model{scaling_.shift, scaling_.scale, activation_of(options_), {}, {}};
    const float* const values = network_.parameters().data();
    for (const LayerShape& layer : network_.shape().layers) {
        const float *const weights = values + layer.weights, *const biases = values + layer.biases;
        model.layers.push_back({layer.inputs, layer.outputs, {weights, biases}, {biases, biases + layer.outputs}});
    }
    Layer& last = model.layers.back();
    for (float& weight : last.weights) weight *= output_scale_;
    for (std::size_t d = 0; d < last.biases.size(); ++d)
        last.biases[d] = last.biases[d] * output_scale_ + output_shift_[d];
    Options options = options_;
    fields(
        [&](const auto& field) {
            if (field.is_read()) model.made_by += fmt::format("{} {}\n", field.name, text_of(field.value));
        },
        options);
    model.made_by += fmt::format("seed {}\n", run_.seed);
    return model;
}

/// The places of a t-SNE map are the network's targets.
void Training::regress(Result& result) {
    const Map map = make_map(result);
    const StandardMap standard(map);
    output_scale_ = static_cast<float>(standard.deviation);
    output_shift_.assign(standard.means.begin(), standard.means.end());
    Regression<device::Cpu> loss{{standard.values.data(), map.size(), map.dim}};
    const Schedule schedule{*options_.batch, *options_.pretrain_epochs, run_.seed};
    {
        device::ProgressReporter reporter(run_, "pretrain", schedule.steps(map.size()));
        int steps = 0;
        descend_by_adam(cpu_, network_, rows_, schedule, adam_rule(), loss, reporter, steps);
    }
    const std::vector<float> outputs = outputs_of(cpu_, network_, rows_);
    const auto size = static_cast<Offset>(outputs.size());
    result.pretrain_error =
        squared_difference(cpu_, outputs.data(), standard.values.data(), size) / static_cast<double>(size);
    result.seconds["pretrain"] += watch_.lap();
}

/// With conjugate gradients Adam's defaults, for the regression.
AdamRule Training::adam_rule() const {
    const AdamRule defaults;
    return {options_.rate.value_or(defaults.rate), options_.weight_decay.value_or(default_weight_decay)};
}

/// A run whose stage "optimize" is "map": ours of that name comes later.
Run Training::run_of_map() const {
    Run run = run_;
    run.snapshot_every = 0;
    if (!run_.on_progress) return run;
    run.on_progress = [this](Progress progress) {
        progress.stage = name_in_training(progress.stage);
        run_.on_progress(progress);
    };
    return run;
}

Map Training::make_map(Result& result) {
    tsne::Options options;
    options.dim = options_.dim;
    options.perplexity = options_.perplexity;
    options.freedom = options_.freedom;
    tsne::Given given;
    given.found = &neighbors_;
    const tsne::Result made = tsne::embed(rows_.points, options, run_of_map(), given);
    device::cancellation_point();
    for (const auto& stage : made.seconds.stages()) result.seconds[name_in_training(stage.name)] += stage.seconds;
    result.kl_of_start = made.kl;
    watch_.lap();
    return made.map;
}

Index Training::neighbors_among(Index rows) const {
    return std::min<Index>(rows - 1, static_cast<Index>(std::ceil(3 * *options_.perplexity)));
}

void Training::find_affinities(Result& result) {
    if (options_.loss == Loss::batch) {
        find_affinities_of_batches();
    } else {
        if (neighbors_.size() == 0) {
            neighbors_ = neighbors::search(rows_.points, {.k = neighbors_among(rows_.points.rows)}, run_).graph;
            device::cancellation_point();
            result.seconds["neighbors"] += watch_.lap();
        }
        const device::ProgressReporter reporter(run_, "affinities", 1);
        affinities_.push_back(tsne::affinities_of_distances(cpu_, neighbors_, *options_.perplexity));
        neighbors_ = {};
    }
    result.seconds["affinities"] += watch_.lap();
}

void Training::find_affinities_of_batches() {
    const Batches batches(rows_.points.rows, *options_.batch);
    device::ProgressReporter reporter(run_, "affinities", batches.count());
    const std::vector<Index> order = batches.order(run_.seed, 0);
    std::vector<float> inputs(at(batches.most_rows()) * at(rows_.points.cols));
    Run quiet = run_;
    quiet.on_progress = {};
    for (Index b = 0; b < batches.count(); ++b) {
        gather(cpu_, rows_, order.data() + batches.begin(b), batches.rows(b), inputs.data());
        const MatrixView<const float> batch{inputs.data(), batches.rows(b), rows_.points.cols};
        const Graph lists = neighbors::search(batch, {.k = neighbors_among(batch.rows)}, quiet).graph;
        device::cancellation_point();
        affinities_.push_back(tsne::affinities_of_distances(cpu_, lists, *options_.perplexity));
        reporter.tick(b + 1);
    }
}

template <class Law>
void Training::descend(const Law& law, Result& result) {
    const Schedule schedule{*options_.batch, *options_.epochs, run_.seed};
    device::ProgressReporter reporter(run_, "optimize", schedule.steps(rows_.points.rows));
    const auto by = [&](auto&& loss) {
        if (options_.optimizer == Optimizer::adam) {
            descend_by_adam(cpu_, network_, rows_, schedule, adam_rule(), loss, reporter, result.iterations);
        } else {
            descend_by_searches(cpu_, network_, rows_, schedule, *options_.line_searches, loss, reporter,
                                result.iterations);
        }
    };
    if (options_.loss == Loss::whole) {
        WholeLoss<Law> loss(affinities_.front(), options_.dim, law);
        by(MapLoss<Law>{loss, rows_, output_scale_});
    } else {
        by(BatchLoss<Law>{affinities_, law, options_.dim});
    }
}

template <class Law>
double Training::mean_of_batches(const Law& law) {
    const Batches batches(rows_.points.rows, *options_.batch);
    const std::vector<Index> order = batches.order(run_.seed, 0);
    std::vector<float> inputs(at(batches.most_rows()) * at(rows_.points.cols));
    BatchLoss<Law> loss{affinities_, law, options_.dim};
    double sum = 0;
    for (Index b = 0; b < batches.count(); ++b) {
        const Index* const rows = order.data() + batches.begin(b);
        const Index count = batches.rows(b);
        gather(cpu_, rows_, rows, count, inputs.data());
        network_.forward(cpu_, inputs.data(), count);
        sum += loss.gradient(cpu_, b, rows, count, network_.outputs(), network_.output_gradient(count));
    }
    return loss.cost(sum);
}

}  // namespace dunlin::parametric
