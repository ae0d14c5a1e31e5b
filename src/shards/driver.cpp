// SPDX-License-Identifier: Apache-2.0
#include "shards/driver.hpp"

#include <limits>
#include <utility>

#include "device/complete.hpp"
#include "device/memory.hpp"
#include "kmeans/criteria.hpp"
#include "kmeans/resolve.hpp"
#include "kmeans/start.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::kmeans {

namespace {

/// The state before the first run, or the one to resume from, with the next epoch.
DriverState first_state(const std::vector<char>& question, const Driving& driving) {
    DriverState state;
    state.header.epoch = driving.epoch;
    if (!driving.resume.empty()) {
        state = resumed_state(driving.resume, question);
        ++state.header.epoch;
    }
    state.header.kind = MessageKind::state;
    state.question = question;
    return state;
}

}  // namespace

ShardedDriver::ShardedDriver(ShardSet& shards, const Shape& shape, Metric metric, const std::vector<char>& question,
                             const Run& run, const Driving& driving)
    : run_(run),
      driving_(driving),
      state_(first_state(question, driving)),
      rounds_(shards, shape, metric, state_.header.epoch),
      cpu_(run) {}

Result ShardedDriver::cluster(const Options& options, const KnownStarts& known, bool labels) {
    const int runs = known.runs(options);
    if (!driving_.resume.empty()) require_fit(state_, options, runs, rounds_.cols());
    Result result;
    if (is_measured(options, result)) {
        while (state_.restart < runs && result.stopped != Stopped::cancelled) {
            if (has_start(options, known, result)) run_once(options, result);
            result.seconds["optimize"] += watch_.lap();
        }
    }
    const FoundCentroids& best = state_.best;
    if (!best.centroids.empty()) {
        result.centroids = Matrix(options.clusters, rounds_.cols(), best.centroids);
        result.inertia = best.inertia;
        result.iterations = best.iterations;
        if (result.stopped != Stopped::cancelled) result.stopped = best.stopped;
    }
    result.options = options;
    find_labels(result, labels);
    complete(result);
    return result;
}

void ShardedDriver::complete(Result& result) const {
    result.engines = {{"iteration", name_of(result.options.method), 0}};
    device::complete(result, Device::cpu, run_);
    result.threads = cpu_.threads();
}

void ShardedDriver::find_labels(Result& result, bool labels) {
    if (result.centroids.rows() == 0) return;
    const auto bytes = labels ? static_cast<std::uint64_t>(rounds_.rows()) * 2 * sizeof(Index) : 0;
    device::require_memory(run_, bytes, "the labels of k-means", "leave them with the shards");
    if (driving_.ask_after_stop) {
        const progress::Uncancellable all;
        ask_for_labels(result, labels);
    } else if (!progress::run_cancellable(run_.stop, [&] { ask_for_labels(result, labels); })) {
        result.stopped = Stopped::cancelled;
    }
}

void ShardedDriver::ask_for_labels(Result& result, bool labels) {
    progress::ProgressReporter reporter(run_, "labels", 1);
    const MatrixView<const float> centroids = result.centroids.view();
    ShardRequest request = rounds_.request(MessageKind::labels);
    request.centroids.assign(centroids.data, centroids.data + centroids.size());
    request.wanted = labels ? 1 : 0;
    const std::vector<ShardResponse> responses = rounds_.ask(request);
    result.counts.assign(static_cast<std::size_t>(centroids.rows), 0);
    if (labels) result.labels.reserve(static_cast<std::size_t>(rounds_.rows()));
    for (const ShardResponse& response : responses) {
        result.labels.insert(result.labels.end(), response.labels.begin(), response.labels.end());
        for (std::size_t k = 0; k < result.counts.size(); ++k) result.counts[k] += response.sums.at(k);
    }
}

double ShardedDriver::silhouette_of(const Result& result) {
    if (sample_.empty()) sample_ = rounds_.values(silhouette_rows(rounds_.rows(), run_.seed));
    const MatrixView<const float> sample{
        sample_.data(), static_cast<Index>(sample_.size() / static_cast<std::size_t>(rounds_.cols())), rounds_.cols()};
    const MatrixView<const float> centroids = result.centroids.view();
    // Shards have scaled these rows to length 1 where the metric wants it
    const std::vector<Index> labels =
        labels_of(cpu_, Rows{sample}, {centroids.data, centroids.data + centroids.size()});
    return silhouette(cpu_, sample, labels, centroids.rows);
}

void ShardedDriver::forget_run() {
    state_.restart = 0;
    state_.iterations = 0;
    state_.last_inertia = LloydStatus{}.last_inertia;
    state_.centroids = {};
    state_.best = {};
}

void ShardedDriver::save() {
    state_.header.iteration = state_.centroids.iteration;
    if (driving_.on_checkpoint) driving_.on_checkpoint(encoded(state_));
}

bool ShardedDriver::is_measured(const Options& options, Result& result) {
    if (data_) return true;
    const bool measured = progress::run_cancellable(run_.stop, [&] {
        progress::ProgressReporter reporter(run_, "start", options.clusters);
        data_ = measure_shards(cpu_, rounds_);
    });
    if (!measured) {
        result.stopped = Stopped::cancelled;
        return false;
    }
    if (!driving_.resume.empty()) require_same_rows(state_, data_->scales);
    state_.scales = data_->scales;
    return true;
}

/// Whether the present run has its initial centroids; false if that was cancelled.
bool ShardedDriver::has_start(const Options& options, const KnownStarts& known, Result& result) {
    if (!state_.centroids.present.empty()) return true;
    const std::uint64_t seed = math::random_bits(run_.seed, static_cast<std::uint64_t>(state_.restart));
    const bool begun = progress::run_cancellable(run_.stop, [&] {
        progress::ProgressReporter reporter(run_, "start", options.clusters);
        state_.centroids.present = centroids_of_run(state_.restart, options, known, rounds_.cols(), [&] {
            return start_over_shards(cpu_, rounds_, *data_, options.clusters, options.start, seed, run_);
        });
    });
    if (begun) save();
    if (!begun) result.stopped = Stopped::cancelled;
    result.seconds["start"] += watch_.lap();
    return begun;
}

void ShardedDriver::run_once(const Options& options, Result& result) {
    ShardedLloyd lloyd(rounds_, data_->scales, options.metric, state_.centroids,
                       [&](const ShardedCentroids& centroids, const LloydStatus& status) {
                           state_.centroids = centroids;
                           state_.iterations = status.iterations;
                           state_.last_inertia = status.last_inertia;
                           save();
                       });
    const double least_shift = options.tolerance.value_or(0) * data_->scales.variance;
    LloydStatus status;
    status.iterations = state_.iterations;
    status.last_inertia = state_.last_inertia;
    double inertia = 0;
    const bool done = progress::run_cancellable(run_.stop, [&] {
        iterate(lloyd, options, least_shift, run_, status, [&] { lloyd.completed(status); });
        inertia = lloyd.assign(true).inertia;
    });
    if (!done) {
        result.stopped = status.stopped = Stopped::cancelled;
        if (status.iterations == 0) return;
        const progress::Uncancellable all;
        inertia = driving_.ask_after_stop ? lloyd.assign(true).inertia : std::numeric_limits<double>::quiet_NaN();
    }
    if (state_.best.centroids.empty() || inertia < state_.best.inertia) {
        state_.best = {lloyd.centroids(), inertia, status.iterations, status.stopped};
    }
    if (!done) return;
    ++state_.restart;
    state_.iterations = 0;
    state_.last_inertia = LloydStatus{}.last_inertia;
    state_.centroids = {};
    save();
}

}  // namespace dunlin::kmeans
