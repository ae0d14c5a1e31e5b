// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <dunlin/parametric.hpp>
#include <dunlin/tsne.hpp>

#include "checkpoint/joined.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "parametric/losses.hpp"
#include "parametric/optimize.hpp"
#include "parametric/resolve.hpp"
#include "parametric/stages.hpp"
#include "parametric/training_parts.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"
#include "tsne/law.hpp"

namespace dunlin::parametric {

/// One training on an executor. Its stages throw progress::Cancelled; the network is then that after its last step.
template <class Exec>
class Training {
public:
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

    /// points: in the executor's memory. run: of the executor's device.
    Training(Exec& exec, MatrixView<const float> points, const Options& resolved, const PointStatistics& statistics,
             const Run& run);

    /// Runs all stages. Returns false if cancelled. result.map is place(model, run) of the trained network; if
    /// cancelled, the last output of the network for each point, which needs no further pass over the points.
    template <class Place>
    bool run_all(Result& result, const Place& place);

private:
    void pretrain(Result& result);
    void optimize(Result& result);
    /// Sets result.kl, given result.map.
    void score(Result& result);
    [[nodiscard]] Model model();
    [[nodiscard]] Map map_when_stopped();

    void regress(Result& result);
    [[nodiscard]] AdamRule adam_rule() const;
    [[nodiscard]] Run run_of_map() const;
    Map make_map(Result& result);
    void prepare_noise();
    [[nodiscard]] Schedule schedule_of(std::string_view stage, int epochs) const;
    void find_affinities(Result& result);
    void find_affinities_of_batches();
    [[nodiscard]] Index neighbors_among(Index rows) const;
    template <class Law>
    void descend(const Law& law, Result& result);
    template <class Law>
    double mean_of_batches(const Law& law);

    Exec& exec_;
    Run run_;
    Options options_;
    Scaling scaling_;
    Buffer<float> shift_;  ///< in the numbers of the rows
    TrainingRows rows_;
    Network<Exec> network_;
    Graph neighbors_;                        ///< of all points, on the host; found by the stages of the t-SNE map
    std::vector<GraphOn<Exec>> affinities_;  ///< of all points, or of each batch
    float output_scale_ = 1;                 ///< places are outputs * scale + shift
    std::vector<float> output_shift_;
    std::vector<float> prototypes_;   ///< [prototype][axis], before scale and shift; empty: none
    Buffer<float> noise_deviations_;  ///< NoiseOfPoints; empty: no noise
    Buffer<Index> noise_neighbors_;
    Index noise_candidates_ = 0;
    Buffer<float> seen_;  ///< the network's last outputs for each point
    progress::Stopwatch watch_;
    bool is_trained_ = false;  ///< whether there is a network: not before the end of the pretraining
};

template <class Exec>
Training<Exec>::Training(Exec& exec, MatrixView<const float> points, const Options& resolved,
                         const PointStatistics& statistics, const Run& run)
    : exec_(exec),
      run_(run),
      options_(resolved),
      scaling_(scaling_of(resolved, statistics)),
      network_(exec, NetworkShape(widths_of(resolved, points.cols), activation_of(resolved))),
      output_shift_(at(resolved.dim)) {
    const std::vector<float> shift(scaling_.shift.begin(), scaling_.shift.end());
    exec.upload(shift_, std::span(shift));
    rows_ = {points, shift_.data(), static_cast<float>(scaling_.scale)};
}

template <class Exec>
template <class Place>
bool Training<Exec>::run_all(Result& result, const Place& place) {
    const bool done = progress::run_cancellable(run_.stop, [&] {
        pretrain(result);
        optimize(result);
    });
    if (!is_trained_) return done;
    result.model = model();
    if (done) result.map = place(result.model, run_);
    const bool is_placed = result.map.size() > 0;  // otherwise a stop came before the end
    if (!is_placed) result.map = map_when_stopped();
    watch_.lap();
    return is_placed && progress::run_cancellable(run_.stop, [&] { score(result); });
}

template <class Exec>
void Training<Exec>::pretrain(Result& result) {
    network_.draw(exec_, run_.seed);
    if (options_.pretrain == Pretrain::map) regress(result);
    if (options_.pretrain == Pretrain::rbm) {
        result.pretrain_error = pretrain_stack(exec_, network_, rows_, options_, run_);
    }
    if (options_.pretrain != Pretrain::map) {
        seen_ = outputs_of(exec_, network_, rows_);
        result.seconds["pretrain"] += watch_.lap();
    }
    is_trained_ = true;
}

template <class Exec>
void Training<Exec>::optimize(Result& result) {
    watch_.lap();
    find_affinities(result);
    tsne::with_law(options_.freedom, [&](const auto& law) { descend(law, result); });
    result.seconds["optimize"] += watch_.lap();
}

template <class Exec>
void Training<Exec>::score(Result& result) {
    const progress::ProgressReporter reporter(run_, "score", 1);
    result.kl = tsne::with_law(options_.freedom, [&](const auto& law) {
        if (options_.loss == Loss::batch) return mean_of_batches(law);
        return kl_of_map(exec_, law, affinities_.front(), result.map, run_.seed);
    });
    result.seconds["score"] += watch_.lap();
}

template <class Exec>
Model Training<Exec>::model() {
    return model_of(options_, scaling_, network_.shape(), exec_.host(network_.parameters()),
                    {output_scale_, output_shift_}, prototypes_, run_.seed);
}

template <class Exec>
Map Training<Exec>::map_when_stopped() {
    const auto& seen = exec_.host(seen_);
    Map map{options_.dim, {seen.begin(), seen.end()}};
    for (std::size_t i = 0; i < map.coordinates.size(); ++i)
        map.coordinates[i] = map.coordinates[i] * output_scale_ + output_shift_[i % output_shift_.size()];
    return map;
}

/// Prepares the noise of the inputs. Takes the neighbors of the points from neighbors_.
template <class Exec>
void Training<Exec>::prepare_noise() {
    const float share = *options_.noise;
    if (share == 0) return;
    const NoiseOfPoints noise =
        noise_of_points(neighbors_, share * rows_.scale / std::sqrt(static_cast<float>(rows_.points.cols)));
    if (noise.candidates == 0) return;
    exec_.upload(noise_deviations_, std::span(noise.deviations));
    exec_.upload(noise_neighbors_, std::span(noise.neighbors));
    noise_candidates_ = noise.candidates;
}

template <class Exec>
Schedule Training<Exec>::schedule_of(std::string_view stage, int epochs) const {
    Schedule schedule{stage, *options_.batch, epochs, run_.seed, {}};
    if (noise_candidates_ > 0) {
        schedule.noise = {noise_deviations_.data(), noise_neighbors_.data(), noise_candidates_, *options_.noise,
                          math::random_bits(run_.seed, stage == "optimize" ? 1 : 0)};
    }
    return schedule;
}

/// Trains the network to reproduce the places of a t-SNE map.
template <class Exec>
void Training<Exec>::regress(Result& result) {
    const Map map = make_map(result);
    const StandardMap standard(map);
    output_scale_ = static_cast<float>(standard.deviation);
    output_shift_.assign(standard.means.begin(), standard.means.end());
    Buffer<float> targets;
    exec_.upload(targets, std::span<const float>(standard.values));
    prepare_noise();
    const Schedule schedule = schedule_of("pretrain", *options_.pretrain_epochs);
    const auto by = [&](auto&& loss) {
        int steps = 0;
        descend_by_adam(exec_, network_, rows_, schedule, adam_rule(), loss, run_, steps);
    };
    const MatrixView<const float> wanted{targets.data(), map.size(), map.dim};
    if (*options_.prototypes == 0) {
        by(Regression<Exec>{{}, wanted});
    } else {
        prototypes_ = prototypes_of({standard.values.data(), map.size(), map.dim}, *options_.prototypes);
        const MatrixView<const float> prototypes{prototypes_.data(), *options_.prototypes, map.dim};
        Buffer<float> on_exec;
        exec_.upload(on_exec, std::span<const float>(prototypes_));
        by(PrototypeMatching<Exec>{
            {}, wanted, {{on_exec.data(), prototypes.rows, prototypes.cols}, sharpness_of(prototypes)}});
        network_.place_by(exec_, prototypes_);
    }
    seen_ = outputs_of(exec_, network_, rows_);
    const auto size = static_cast<Offset>(seen_.size());
    result.pretrain_error =
        sum_of(exec_, size, SquaredDifference{seen_.data(), targets.data()}) / static_cast<double>(size);
    result.seconds["pretrain"] += watch_.lap();
}

/// With conjugate gradients Adam's defaults, for the regression.
template <class Exec>
AdamRule Training<Exec>::adam_rule() const {
    const AdamRule defaults;
    return {options_.rate.value_or(defaults.rate), options_.weight_decay.value_or(default_weight_decay)};
}

/// Copy of the run that reports the stage "optimize" as "map". The training has its own stage "optimize" later.
template <class Exec>
Run Training<Exec>::run_of_map() const {
    Run run = run_;
    run.snapshot_every = 0;
    if (!run_.on_progress) return run;
    run.on_progress = [this](Progress progress) {
        progress.stage = name_in_training(progress.stage);
        run_.on_progress(progress);
    };
    return run;
}

template <class Exec>
Map Training<Exec>::make_map(Result& result) {
    tsne::Options options;
    options.dim = options_.dim;
    options.perplexity = options_.perplexity;
    options.freedom = options_.freedom;
    tsne::Given given;
    given.found = &neighbors_;
    const auto embedded = [&] {
        const checkpoint::Joined joined;
        return map_by_tsne(exec_, rows_.points, options, run_of_map(), given);
    };
    tsne::Result made = embedded();
    progress::cancellation_point();
    for (const auto& stage : made.seconds.stages()) result.seconds[name_in_training(stage.name)] += stage.seconds;
    result.kl_of_start = made.kl;
    watch_.lap();
    return std::move(made.map);
}

template <class Exec>
Index Training<Exec>::neighbors_among(Index rows) const {
    return std::min<Index>(rows - 1, static_cast<Index>(std::ceil(3 * *options_.perplexity)));
}

template <class Exec>
void Training<Exec>::find_affinities(Result& result) {
    if (options_.loss == Loss::batch) {
        find_affinities_of_batches();
    } else {
        GraphOn<Exec> lists;
        if (neighbors_.size() > 0) {
            lists = graph_on(exec_, std::exchange(neighbors_, {}));
        } else {
            lists = lists_among(exec_, rows_.points, neighbors_among(rows_.points.rows), run_);
            progress::cancellation_point();
            result.seconds["neighbors"] += watch_.lap();
        }
        const progress::ProgressReporter reporter(run_, "affinities", 1);
        affinities_.push_back(affinities_of(exec_, std::move(lists), *options_.perplexity));
    }
    result.seconds["affinities"] += watch_.lap();
}

template <class Exec>
void Training<Exec>::find_affinities_of_batches() {
    const Batches batches(rows_.points.rows, *options_.batch);
    progress::ProgressReporter reporter(run_, "affinities", batches.count());
    const auto order = batches.order(exec_, run_.seed, 0);
    Buffer<float> inputs;
    exec_.resize(inputs, at(batches.most_rows()) * at(rows_.points.cols));
    Run quiet = run_;
    quiet.on_progress = {};
    for (Index b = 0; b < batches.count(); ++b) {
        gather(exec_, rows_, order.data() + batches.begin(b), batches.rows(b), inputs.data());
        const MatrixView<const float> batch{inputs.data(), batches.rows(b), rows_.points.cols};
        auto lists = lists_among(exec_, batch, neighbors_among(batch.rows), quiet);
        progress::cancellation_point();
        affinities_.push_back(affinities_of(exec_, std::move(lists), *options_.perplexity));
        reporter.tick(b + 1);
    }
}

template <class Exec>
template <class Law>
void Training<Exec>::descend(const Law& law, Result& result) {
    const Schedule schedule = schedule_of("optimize", *options_.epochs);
    const auto by = [&](auto&& loss) {
        if (options_.optimizer == Optimizer::adam) {
            descend_by_adam(exec_, network_, rows_, schedule, adam_rule(), loss, run_, result.iterations);
        } else {
            descend_by_searches(exec_, network_, rows_, schedule, *options_.line_searches, loss, run_,
                                result.iterations);
        }
    };
    if (options_.loss == Loss::whole) {
        WholeLoss<Exec, Law> loss(exec_, affinities_.front(), options_.dim, law, output_scale_);
        by(MapLoss<Exec, Law>{loss, rows_, options_.dim, seen_});
    } else {
        by(BatchLoss<Exec, Law>{affinities_, law, options_.dim, seen_});
    }
}

template <class Exec>
template <class Law>
double Training<Exec>::mean_of_batches(const Law& law) {
    const Batches batches(rows_.points.rows, *options_.batch);
    const auto order = batches.order(exec_, run_.seed, 0);
    Buffer<float> inputs;
    exec_.resize(inputs, at(batches.most_rows()) * at(rows_.points.cols));
    BatchLoss<Exec, Law> loss{affinities_, law, options_.dim, seen_};
    typename Exec::template Cell<double> part;
    double sum = 0;
    for (Index b = 0; b < batches.count(); ++b) {
        progress::cancellation_point();
        const Index* const rows = order.data() + batches.begin(b);
        const Index count = batches.rows(b);
        gather(exec_, rows_, rows, count, inputs.data());
        network_.forward(exec_, inputs.data(), count);
        loss.gradient(exec_, b, rows, count, network_.outputs(), network_.output_gradient(exec_, count), part);
        sum += exec_.read(part);
    }
    return loss.cost(sum);
}

}  // namespace dunlin::parametric
