// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <dunlin/error.hpp>

#include "checkpoint/key.hpp"
#include "checkpoint/session.hpp"
#include "kmeans/choose.hpp"
#include "kmeans/cluster_part.hpp"
#include "kmeans/criteria.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/start.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {

namespace {

constexpr Offset most_sampled = 5000;

Offset sum_of(const std::vector<Offset>& counts) {
    Offset sum = 0;
    for (const Offset count : counts) sum += count;
    return sum;
}

}  // namespace

double silhouette_of(const std::vector<double>& sums, const std::vector<Offset>& sizes, std::size_t own) {
    if (sizes[own] < 2) return 0;
    const double inside = sums[own] / static_cast<double>(sizes[own] - 1);
    double outside = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < sums.size(); ++k) {
        if (k != own && sizes[k] > 0) outside = std::min(outside, sums[k] / static_cast<double>(sizes[k]));
    }
    if (!std::isfinite(outside) || std::max(inside, outside) == 0) return 0;
    return (outside - inside) / std::max(inside, outside);
}

double log_likelihood(const std::vector<Offset>& counts, Index cols, double inertia) {
    const auto n = static_cast<double>(sum_of(counts)), k = static_cast<double>(counts.size());
    if (n <= k || inertia <= 0) return std::numeric_limits<double>::quiet_NaN();
    const double free = n - k, variance = inertia / (cols * free);
    double sum = -0.5 * n * cols * std::log(2 * std::numbers::pi * variance) - 0.5 * cols * free;
    for (const Offset count : counts) {
        const auto rows = static_cast<double>(count);
        if (count > 0) sum += rows * std::log(rows / n);
    }
    return sum;
}

double parameters(Index clusters, Index cols) { return clusters - 1.0 + static_cast<double>(clusters) * cols + 1; }

double bic(const std::vector<Offset>& counts, Index cols, double inertia) {
    return -2 * log_likelihood(counts, cols, inertia) +
           parameters(static_cast<Index>(counts.size()), cols) * std::log(static_cast<double>(sum_of(counts)));
}

double aic(const std::vector<Offset>& counts, Index cols, double inertia) {
    return -2 * log_likelihood(counts, cols, inertia) + 2 * parameters(static_cast<Index>(counts.size()), cols);
}

std::vector<Offset> silhouette_rows(Offset rows, std::uint64_t seed) {
    const Offset count = std::min(rows, most_sampled);
    std::vector<Offset> sample;
    for (Offset s = 0; s < count; ++s) {
        const Offset from = s * rows / count, to = (s + 1) * rows / count;
        sample.push_back(from + static_cast<Offset>(math::random_below(static_cast<std::uint64_t>(to - from), seed,
                                                                       static_cast<std::uint64_t>(s))));
    }
    return sample;
}

double silhouette(device::Cpu& cpu, MatrixView<const float> sample, const std::vector<Index>& labels, Index clusters) {
    std::vector<Offset> sizes(static_cast<std::size_t>(clusters));
    for (const Index label : labels) ++sizes[static_cast<std::size_t>(label)];
    device::Cpu::Cell<double> total;
    cpu.sum(
        sample.rows,
        [&](Offset i) {
            std::vector<double> sums(sizes.size());
            for (Index s = 0; s < sample.rows; ++s) {
                sums[static_cast<std::size_t>(labels[static_cast<std::size_t>(s)])] += std::sqrt(squared_distance(
                    sample.data + i * sample.cols, sample.data + Offset{s} * sample.cols, sample.cols));
            }
            return silhouette_of(sums, sizes, static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]));
        },
        total, 16);
    return total.value / static_cast<double>(sample.rows);
}

double silhouette(MatrixView<const float> points, const std::vector<Index>& labels, Index clusters, Metric metric,
                  const Run& run) {
    const std::vector<Offset> rows = silhouette_rows(points.rows, run.seed);
    const std::vector<float> values = values_of(Rows{points, {}, metric}, rows);
    std::vector<Index> sampled;
    sampled.reserve(rows.size());
    for (const Offset row : rows) sampled.push_back(labels[static_cast<std::size_t>(row)]);
    device::Cpu cpu(run);
    return silhouette(cpu, {values.data(), static_cast<Index>(rows.size()), points.cols}, sampled, clusters);
}

bool is_better(Criterion criterion, double value, double than) {
    if (std::isnan(value) || std::isnan(than)) return !std::isnan(value);
    return criterion == Criterion::silhouette ? value > than : value < than;
}

void check_choice(Offset rows, Index most, Criterion criterion, const Options& options) {
    if (most < options.clusters) {
        throw Error(Fault::bad_input,
                    fmt::format("numbers of clusters from {} to {}: the second must be at least the first",
                                options.clusters, most));
    }
    if (most > rows) {
        throw Error(Fault::bad_input,
                    fmt::format("numbers of clusters up to {}, but there are {} points; it must be at "
                                "most that",
                                most, rows));
    }
    if (criterion == Criterion::silhouette && options.clusters < 2) {
        throw Error(Fault::bad_input, "the silhouette of one cluster is not defined; try clusters from 2 on");
    }
}

Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options,
              const Run& given_run) {
    const Run run = checkpoint::without_checkpoint(given_run);
    check_choice(points.rows, most, criterion, options);
    checkpoint::Session session(given_run, "k-means of a chosen number", [&](checkpoint::Key& key) {
        Options of_most = options;
        of_most.clusters = most;
        key.add("device", std::string(name_of(device_of_part(points, options, run))));
        key.add("device for most clusters", std::string(name_of(device_of_part(points, of_most, run))));
        key.add_options(options);
        key.add("most clusters", std::to_string(most));
        key.add("criterion", std::string(name_of(criterion)));
        key.add("one more run", "from the centroids of one cluster fewer");
        key.add_input("points", points);
    });
    TriedNumbers numbers;
    Choice& choice = numbers.choice;
    checkpoint::Sequence sequence("numbers");
    sequence.resume([&](auto& archive) { read(archive, points, most, options, run, numbers); });
    try_numbers(
        numbers, most, criterion, options, run,
        [&](const Options& now, const std::vector<float>& more) { return cluster_part(points, now, run, more); },
        [&](const Result& result) {
            return silhouette(points, result.labels, result.options.clusters, options.metric, run);
        },
        [&] { sequence.commit(choice.best.iterations, [&](auto& archive) { write(archive, numbers); }); });
    session.complete(choice.best);
    return std::move(numbers.choice);
}

std::string sentence_of_choice(const Choice& choice, Index most) {
    const bool is_last = choice.curve.size() > 1 && choice.best.options.clusters == most;
    if (!is_last || sum_of(choice.best.counts) == most) return {};
    return fmt::format("the number of clusters chosen, {}, is the last one tried; more may be better", most);
}

}  // namespace dunlin::kmeans
