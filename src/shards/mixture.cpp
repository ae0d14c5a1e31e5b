// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "kmeans/resolve.hpp"
#include "mixture/fit.hpp"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "shards/components.hpp"
#include "shards/driver.hpp"

namespace dunlin::mixture {

namespace {

using kmeans::components_from;
using kmeans::MessageKind;
using kmeans::numbers_of;
using kmeans::ShardRequest;
using kmeans::ShardResponse;

/// Asks the chunks for their sums, and keeps the state of the run.
class ShardedExpectations final : public ExpectationSource {
public:
    /// labels: whether those of the last step are wanted.
    ShardedExpectations(kmeans::ShardedDriver& driver, const Options& options, Offset node, bool labels)
        : driver_(driver), options_(options), node_(node), wants_labels_(labels) {}

    std::vector<float> values(const std::vector<Offset>& rows) override { return driver_.rounds().values(rows); }
    Expectation nearest(const std::vector<Component>& components) override {
        ShardRequest request = driver_.rounds().request(MessageKind::moments);
        for (const Component& component : components) {
            for (const double value : component.mean) centroids_.push_back(static_cast<float>(value));
        }
        request.centroids = centroids_;
        request.covariance = options_.covariance;
        request.node = node_;
        return sum_of(driver_.rounds().ask(request),
                      Expectation(options_.components, driver_.rounds().cols(), options_.covariance, true));
    }
    Expectation expect(const std::vector<Component>& components, bool moments) override {
        ShardRequest request = request_for(components);
        request.moments = moments ? 1 : 0;
        request.wanted = wants_labels_ && !moments ? 1 : 0;
        const std::vector<ShardResponse> responses = driver_.rounds().ask(request);
        if (request.wanted != 0) take_labels(responses);
        expected_ = components;
        return sum_of(responses, zero(moments));
    }
    void completed(const FitState& state) override {
        kmeans::DriverState& saved = driver_.state();
        saved.components = numbers_of(state.components, true);
        saved.floors.assign(state.floors.begin(), state.floors.end());
        saved.log_likelihood = state.log_likelihood;
        saved.steps = state.iterations;
        saved.converged = state.converged ? 1 : 0;
        driver_.save();
    }

    [[nodiscard]] FitState saved() const {
        const kmeans::DriverState& saved = driver_.state();
        if (saved.components.empty()) return {};
        kmeans::require_fit_of_mixture(saved, driver_.rounds().cols());
        return {
            components_from(saved.components, options_.components, driver_.rounds().cols(), options_.covariance, true),
            mixture::Vector::Map(saved.floors.data(), std::ssize(saved.floors)), saved.steps, saved.converged != 0,
            saved.log_likelihood};
    }
    /// The labels of the last expectation step; before the first, the clusters of k-means.
    std::vector<Index> labels() {
        if (!labels_.empty() || !wants_labels_) return std::move(labels_);
        ShardRequest request = driver_.rounds().request(MessageKind::labels);
        request.centroids = centroids_.empty() ? driver_.state().best.centroids : centroids_;
        if (!expected_.empty()) request = request_for(expected_);
        request.wanted = 1;
        take_labels(driver_.rounds().ask(request));
        return std::move(labels_);
    }
    [[nodiscard]] ShardRequest request_for(const std::vector<Component>& components) const {
        ShardRequest request = driver_.rounds().request(MessageKind::expect);
        request.header.iteration = driver_.state().steps + 1;
        request.covariance = options_.covariance;
        request.node = node_;
        request.count = components.size();
        request.components = numbers_of(components, false);
        return request;
    }

private:
    [[nodiscard]] Expectation zero(bool moments) const {
        return moments ? Expectation(options_.components, driver_.rounds().cols(), options_.covariance) : Expectation();
    }
    void take_labels(const std::vector<ShardResponse>& responses) {
        labels_.clear();
        for (const ShardResponse& response : responses) {
            labels_.insert(labels_.end(), response.labels.begin(), response.labels.end());
        }
    }

    kmeans::ShardedDriver& driver_;
    const Options& options_;
    Offset node_;
    bool wants_labels_;
    std::vector<float> centroids_;     ///< of the start
    std::vector<Component> expected_;  ///< of the last expectation step
    std::vector<Index> labels_;
};

std::vector<char> question(const Options& options, const kmeans::Options& clusters, const kmeans::Shape& shape,
                           std::uint64_t seed) {
    std::string text = "mixture, ";
    Options all = options;
    fields([&](const auto& field) { text += fmt::format("{} {}, ", field.name, text_of(field.value)); }, all);
    return kmeans::question_of(clusters, shape, seed, text);
}

/// Peak memory of a driver: the responses, once more decoded, and the components.
std::uint64_t bytes_of_driver(const Options& o, const kmeans::Shape& shape, Offset node, bool labels) {
    const auto nodes = static_cast<std::uint64_t>((shape.rows + node - 1) / node);
    return bytes_of_expectation(o.components, shape.cols, o.covariance) * (2 * nodes + 8) +
           (labels ? static_cast<std::uint64_t>(shape.rows) * 2 * sizeof(Index) : 0);
}

kmeans::Shape checked(const kmeans::Shape& wanted, const Options& options, const Run& run, bool labels) {
    check(options, wanted.rows);
    kmeans::check_points(wanted.rows, wanted.cols);
    device::require_cpu(run, "mixtures over shards are");
    if (options.restarts != 1) {
        throw Error(Fault::bad_input,
                    fmt::format("restarts is {}, and a mixture over shards has one run; call it once for each seed",
                                options.restarts),
                    {.option = "restarts"});
    }
    if (wanted.weighted) throw Error(Fault::bad_input, "mixtures are of rows without weights; leave them out");
    const kmeans::Shape shape = kmeans::resolved(wanted);
    device::require_memory(run, bytes_of_driver(options, shape, node_rows(shape.chunk_rows), labels),
                           fmt::format("the sums of {} {} Gaussians of {} columns", options.components,
                                       name_of(options.covariance), shape.cols));
    return shape;
}

}  // namespace

Result fit(kmeans::ShardSet& shards, const kmeans::Shape& wanted, const Options& options, const Run& run,
           const kmeans::Driving& driving, kmeans::Message* labels_request) {
    const kmeans::Shape shape = checked(wanted, options, run, driving.labels);
    const Offset node = node_rows(shape.chunk_rows);
    const kmeans::Options clusters = kmeans::resolve(shape.rows, shape.cols, {.clusters = options.components}, {});
    Result result;
    result.options = options;
    numerics::hold_blas_to_one_thread();
    progress::Stopwatch watch;
    const Run start = run_of_start(run, Device::cpu);
    device::Cpu cpu(run);
    kmeans::ShardedDriver driver(shards, shape, clusters.metric, question(options, clusters, shape, run.seed), start,
                                 driving);
    ShardedExpectations source(driver, options, node, driving.labels);
    Fit fit(cpu, source, options, shape.rows, source.saved());
    const bool done = progress::run_cancellable(run.stop, [&] {
        const kmeans::Result found = driver.cluster(clusters, {}, false);
        if (found.stopped == Stopped::cancelled) throw progress::Cancelled{};
        result.threads = found.threads;
        if (fit.state().components.empty()) fit.start(found.centroids.view());
        result.seconds["start"] = watch.lap();
        fit.iterate(run, result);
    });
    if (!done) result.stopped = Stopped::cancelled;
    if (!fit.state().components.empty()) {
        fit.describe(shape.cols, result);
        if (done || driving.ask_after_stop) {
            const progress::Uncancellable all;
            result.labels = source.labels();
        }
        if (done && labels_request != nullptr) {
            ShardRequest request = source.request_for(fit.state().components);
            request.wanted = 1;
            *labels_request = encoded(request);
        }
    }
    result.seconds["optimize"] = watch.lap();
    result.engines = {{"iteration", "expectation-maximization", 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

std::uint64_t bytes_of_shard(const kmeans::Shape& held, Offset chunks, const Options& options, int threads) {
    const Offset step = chunks > 0 ? (held.rows + chunks - 1) / chunks : 0;
    const auto sums = bytes_of_expectation(options.components, held.cols, options.covariance);
    return kmeans::bytes_of_shard(held, chunks, options.components, threads) +
           bytes_of_step(options.components, held.cols, options.covariance, step) + 3 * sums +
           static_cast<std::uint64_t>(step) * 2 * sizeof(Index);
}

}  // namespace dunlin::mixture
