// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "kmeans/choose.hpp"
#include "kmeans/resolve.hpp"
#include "shards/driver.hpp"

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

Result result_of(const FoundCentroids& found, const Options& options, Index cols) {
    Result result;
    result.options = options;
    result.centroids = as_matrix(found.centroids, cols);
    result.options.clusters = result.centroids.rows();
    result.inertia = found.inertia;
    result.iterations = found.iterations;
    result.stopped = found.stopped;
    return result;
}

FoundCentroids found_in(const Result& result) {
    const MatrixView<const float> centroids = result.centroids.view();
    return {{centroids.data, centroids.data + centroids.size()}, result.inertia, result.iterations, result.stopped};
}

/// What a driver before this one has found.
TriedNumbers tried_before(const DriverState& state, const Options& options, Index most, Index cols) {
    require_fit_of_choice(state, options, most, cols);
    TriedNumbers numbers;
    Choice& choice = numbers.choice;
    for (std::size_t i = 0; i < state.tried_values.size(); ++i) {
        const Index clusters = options.clusters + static_cast<Index>(i);
        choice.curve.push_back({clusters, state.tried_inertias.at(i), state.tried_values[i]});
    }
    if (choice.curve.empty()) return numbers;
    choice.best = result_of(state.chosen, options, cols);
    numbers.last = result_of(state.last_tried, options, cols);
    return numbers;
}

}  // namespace

Result cluster(ShardSet& shards, const Shape& wanted, const Options& options, const Run& run, const Given& given,
               const Driving& driving) {
    check_points(wanted.rows, wanted.cols);
    const Shape shape = resolved(wanted);
    const Options all = checked(shape, options, given);
    ShardedDriver driver(shards, shape, all.metric, question_of(all, shape, run.seed), run, driving);
    return driver.cluster(all, {given}, driving.labels);
}

Choice choose(ShardSet& shards, const Shape& wanted, Index most, Criterion criterion, const Options& options,
              const Run& run, const Driving& driving) {
    check_choice(wanted.rows, most, criterion, options);
    check_points(wanted.rows, wanted.cols);
    if (wanted.weighted) {
        throw Error(Fault::bad_input, "the number of clusters is chosen for rows without weights; leave them out");
    }
    const Shape shape = resolved(wanted);
    const Options first = checked(shape, options, {});
    const std::string tried = fmt::format("up to {} by {}, ", most, name_of(criterion));
    ShardedDriver driver(shards, shape, first.metric, question_of(first, shape, run.seed, tried), run, driving);
    DriverState& state = driver.state();
    TriedNumbers numbers = tried_before(state, first, most, shape.cols);
    Choice& choice = numbers.choice;
    if (!choice.curve.empty()) {
        driver.is_measured(first, choice.best);  // whether the rows are those of the state
        driver.find_labels(numbers.last, false);
    }
    try_numbers(
        numbers, most, criterion, first, run,
        [&](const Options& now, const std::vector<float>& more) { return driver.cluster(now, {{}, more}, false); },
        [&](const Result& result) { return driver.silhouette_of(result); },
        [&] {
            state.last_tried = found_in(numbers.last);
            if (choice.best.options.clusters == choice.curve.back().clusters) state.chosen = state.last_tried;
            state.tried_inertias.push_back(choice.curve.back().inertia);
            state.tried_values.push_back(choice.curve.back().value);
            driver.forget_run();
            driver.save();
        });
    if (driving.labels || choice.best.counts.empty()) driver.find_labels(choice.best, driving.labels);
    driver.complete(choice.best);
    return std::move(numbers.choice);
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
    const MessageKind kind = decoded_response.header.kind;
    if (kind != MessageKind::labels && kind != MessageKind::expect) fail_for_message("it has no labels");
    return std::move(decoded_response.labels);
}

}  // namespace dunlin::kmeans
