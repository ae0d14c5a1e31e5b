// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "kmeans/criteria.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/rows.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {

namespace {

constexpr Offset most_sampled = 5000;

Offset sum_of(const std::vector<Offset>& counts) {
    Offset sum = 0;
    for (const Offset count : counts) sum += count;
    return sum;
}

/// One random row from each of equal parts of all rows.
std::vector<Offset> sampled_rows(Offset rows, std::uint64_t seed) {
    const Offset count = std::min(rows, most_sampled);
    std::vector<Offset> sample;
    for (Offset s = 0; s < count; ++s) {
        const Offset from = s * rows / count, to = (s + 1) * rows / count;
        sample.push_back(from + static_cast<Offset>(math::random_below(static_cast<std::uint64_t>(to - from), seed,
                                                                       static_cast<std::uint64_t>(s))));
    }
    return sample;
}

/// Silhouette of a row in cluster `own`. sums: sum of its distances to the rows of each cluster; sizes: their numbers.
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

double value_of(Criterion criterion, MatrixView<const float> points, const Result& result, const Run& run) {
    switch (criterion) {
        case Criterion::bic:
            return bic(result.counts, points.cols, result.inertia);
        case Criterion::aic:
            return aic(result.counts, points.cols, result.inertia);
        case Criterion::silhouette:
            break;
    }
    return silhouette(points, result.labels, result.options.clusters, result.options.metric, run);
}

/// Whether `value` is better; NaN is worse than any number.
bool better(Criterion criterion, double value, double than) {
    if (std::isnan(value) || std::isnan(than)) return !std::isnan(value);
    return criterion == Criterion::silhouette ? value > than : value < than;
}

}  // namespace

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

double silhouette(MatrixView<const float> points, const std::vector<Index>& labels, Index clusters, Metric metric,
                  const Run& run) {
    const Rows rows{points, {}, metric};
    const std::vector<Offset> sample = sampled_rows(points.rows, run.seed);
    std::vector<float> values, scratch;
    std::vector<Offset> sizes(static_cast<std::size_t>(clusters));
    for (const Offset row : sample) {
        const float* x = rows.at(row, row + 1, scratch);
        values.insert(values.end(), x, x + points.cols);
        ++sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])];
    }
    const auto cluster_of = [&](std::size_t s) {
        return static_cast<std::size_t>(labels[static_cast<std::size_t>(sample[s])]);
    };
    device::Cpu cpu(run);
    device::Cpu::Cell<double> total;
    cpu.sum(
        static_cast<Offset>(sample.size()),
        [&](Offset i) {
            std::vector<double> sums(sizes.size());
            for (std::size_t s = 0; s < sample.size(); ++s) {
                sums[cluster_of(s)] +=
                    std::sqrt(squared_distance(values.data() + i * points.cols,
                                               values.data() + static_cast<Offset>(s) * points.cols, points.cols));
            }
            return silhouette_of(sums, sizes, cluster_of(static_cast<std::size_t>(i)));
        },
        total, 16);
    return total.value / static_cast<double>(sample.size());
}

Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options, const Run& run) {
    if (most < options.clusters) {
        throw Error(Fault::bad_input,
                    fmt::format("numbers of clusters from {} to {}: the second must be at least the first",
                                options.clusters, most));
    }
    if (most > points.rows) {
        throw Error(Fault::bad_input,
                    fmt::format("numbers of clusters up to {}, but there are {} points; it must be at "
                                "most that",
                                most, points.rows));
    }
    if (criterion == Criterion::silhouette && options.clusters < 2) {
        throw Error(Fault::bad_input, "the silhouette of one cluster is not defined; try clusters from 2 on");
    }
    Choice choice;
    double best = 0;
    bool stopped = false;
    for (Index k = options.clusters; k <= most && !stopped; ++k) {
        Options now = options;
        now.clusters = k;
        Result result = cluster(points, now, run);
        double value = 0;
        const bool is_whole = result.stopped != Stopped::cancelled && device::run_cancellable(run.stop, [&] {
                                  device::ProgressReporter reporter(run, "score", 1);
                                  value = value_of(criterion, points, result, run);
                              });
        stopped = !is_whole;
        if (!is_whole) {  // its criterion is unknown
            if (choice.curve.empty()) choice.best = std::move(result);
            break;
        }
        if (choice.curve.empty() || better(criterion, value, best)) {
            best = value;
            choice.best = result;
        }
        choice.curve.push_back({k, result.inertia, value});
    }
    if (stopped) choice.best.stopped = Stopped::cancelled;
    return choice;
}

}  // namespace dunlin::kmeans
