// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/cancel.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "kmeans/resolve.hpp"
#include "kmeans/shards/start.hpp"
#include "kmeans/shards/state.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {

namespace {

Options checked(const Shape& shape, const Options& wanted, const Given& given) {
    const Options options = resolve(shape.rows, shape.cols, wanted, given);
    if (options.method != Method::lloyd) {
        throw Error(Fault::bad_input, "method sequential reads all rows in one process; use method lloyd for shards",
                    {.option = "method"});
    }
    if (!given.weights.empty()) {
        throw Error(Fault::bad_input, "weights are given to the driver; give them to the shards, with their rows");
    }
    return options;
}

/// A run of all restarts.
class ShardedRun {
public:
    ShardedRun(ShardSet& shards, const Shape& shape, const Options& options, const Run& run, const Given& given,
               const Driving& driving)
        : options_(options),
          run_(run),
          given_(given),
          driving_(driving),
          state_(first_state(shape)),
          rounds_(shards, shape, options.metric, state_.header.epoch),
          cpu_(run) {}

    Result operator()() {
        const bool measured = device::run_cancellable(run_.stop, [&] {
            device::ProgressReporter reporter(run_, "start", options_.clusters);
            data_ = measure_shards(cpu_, rounds_);
        });
        if (!measured) result_.stopped = Stopped::cancelled;
        if (measured && !driving_.resume.empty()) require_same_rows(state_, data_.scales);
        state_.scales = data_.scales;
        while (state_.restart < options_.restarts && result_.stopped != Stopped::cancelled) {
            if (has_start()) run_once();
            result_.seconds["optimize"] += watch_.lap();
        }
        finish();
        return std::move(result_);
    }

private:
    /// The state before the first run, or the one to resume from, with the next epoch.
    [[nodiscard]] DriverState first_state(const Shape& shape) const {
        const std::vector<char> question = question_of(options_, shape, run_.seed);
        DriverState state;
        state.header.epoch = driving_.epoch;
        if (!driving_.resume.empty()) {
            state = resumed_state(driving_.resume, question);
            ++state.header.epoch;
        }
        state.header.kind = MessageKind::state;
        state.question = question;
        return state;
    }

    void save() {
        state_.header.iteration = state_.centroids.iteration;
        if (driving_.on_checkpoint) driving_.on_checkpoint(encoded(state_));
    }

    /// Whether the present run has its initial centroids; false if that was cancelled.
    bool has_start() {
        if (!state_.centroids.present.empty()) return true;
        const std::uint64_t seed = math::random_bits(run_.seed, static_cast<std::uint64_t>(state_.restart));
        const bool begun = device::run_cancellable(run_.stop, [&] {
            device::ProgressReporter reporter(run_, "start", options_.clusters);
            state_.centroids.present =
                given_.centroids.data != nullptr
                    ? checked_centroids(given_.centroids, options_.metric)
                    : start_over_shards(cpu_, rounds_, data_, options_.clusters, options_.start, seed, run_);
        });
        if (begun) save();
        if (!begun) result_.stopped = Stopped::cancelled;
        result_.seconds["start"] += watch_.lap();
        return begun;
    }

    void run_once() {
        ShardedLloyd lloyd(rounds_, data_.scales, options_.metric, state_.centroids,
                           [&](const ShardedCentroids& centroids, const LloydStatus& status) {
                               state_.centroids = centroids;
                               state_.iterations = status.iterations;
                               state_.last_inertia = status.last_inertia;
                               save();
                           });
        const double least_shift = options_.tolerance.value_or(0) * data_.scales.variance;
        LloydStatus status;
        status.iterations = state_.iterations;
        status.last_inertia = state_.last_inertia;
        double inertia = 0;
        const bool done = device::run_cancellable(run_.stop, [&] {
            iterate(lloyd, options_, least_shift, run_, status);
            inertia = lloyd.assign(true).inertia;
        });
        if (!done) {
            result_.stopped = status.stopped = Stopped::cancelled;
            if (status.iterations == 0) return;
            const device::Uncancellable all;
            inertia = lloyd.assign(true).inertia;
        }
        if (state_.has_best == 0 || inertia < state_.best_inertia) {
            state_.has_best = 1;
            state_.best_inertia = inertia;
            state_.best_iterations = status.iterations;
            state_.best_stopped = status.stopped;
            state_.best = lloyd.centroids();
        }
        if (!done) return;
        ++state_.restart;
        state_.iterations = 0;
        state_.last_inertia = LloydStatus{}.last_inertia;
        state_.centroids = {};
        save();
    }

    /// The result of the best run, with its labels unless they stay with the shards.
    void finish() {
        if (state_.has_best != 0) {
            const device::Uncancellable all;
            result_.centroids = Matrix(options_.clusters, rounds_.cols(), state_.best);
            result_.inertia = state_.best_inertia;
            result_.iterations = state_.best_iterations;
            if (result_.stopped != Stopped::cancelled) result_.stopped = state_.best_stopped;
            find_labels();
        }
        result_.options = options_;
        result_.engines = {{"iteration", name_of(options_.method), 0}};
        device::complete(result_, Device::cpu, run_);
        result_.threads = cpu_.threads();
    }

    void find_labels() {
        ShardRequest request = rounds_.request(MessageKind::labels);
        request.centroids = state_.best;
        request.wanted = driving_.labels ? 1 : 0;
        const auto bytes = driving_.labels ? static_cast<std::uint64_t>(rounds_.rows()) * 2 * sizeof(Index) : 0;
        device::require_memory(run_, bytes, "the labels of k-means", "leave them with the shards");
        result_.counts.assign(static_cast<std::size_t>(options_.clusters), 0);
        if (driving_.labels) result_.labels.reserve(static_cast<std::size_t>(rounds_.rows()));
        for (const ShardResponse& response : rounds_.ask(request)) {
            result_.labels.insert(result_.labels.end(), response.labels.begin(), response.labels.end());
            for (std::size_t k = 0; k < result_.counts.size(); ++k) result_.counts[k] += response.sums.at(k);
        }
    }

    Options options_;
    const Run& run_;
    const Given& given_;
    const Driving& driving_;
    DriverState state_;
    ShardRounds rounds_;
    device::Cpu cpu_;
    device::Stopwatch watch_;
    ShardedData data_;
    Result result_;
};

}  // namespace

Result cluster(ShardSet& shards, const Shape& wanted, const Options& options, const Run& run, const Given& given,
               const Driving& driving) {
    check_points(wanted.rows, wanted.cols);
    const Shape shape = resolved(wanted);
    return ShardedRun(shards, shape, checked(shape, options, given), run, given, driving)();
}

Message labels_request(const Shape& shape, MatrixView<const float> centroids, Metric metric, std::uint64_t epoch) {
    ShardRequest request;
    request.header.kind = MessageKind::labels;
    request.header.epoch = epoch;
    request.metric = metric;
    request.rows = shape.rows;
    request.cols = shape.cols;
    request.weighted = shape.weighted ? 1 : 0;
    request.wanted = 1;
    request.centroids.assign(centroids.data, centroids.data + centroids.size());
    return encoded(request);
}

std::vector<Index> labels_of(std::span<const std::byte> response) {
    auto decoded_response = decoded<ShardResponse>(response);
    if (decoded_response.header.kind != MessageKind::labels) fail_for_message("it has no labels");
    return std::move(decoded_response.labels);
}

}  // namespace dunlin::kmeans
