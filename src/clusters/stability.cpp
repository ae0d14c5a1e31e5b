// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include <dunlin/clusters.hpp>
#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/progress.hpp"

namespace dunlin::clusters {

namespace {

/// Half of the numbers below n, ascending.
std::vector<Index> half_of(Index n, std::uint64_t seed, int sample) {
    std::vector<Index> rows(at(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    const Index half = n / 2;
    for (Index i = 0; i < half; ++i) {
        const auto others = static_cast<std::uint64_t>(n - i);
        const auto draw =
            math::random_below(others, seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(sample));
        std::swap(rows[at(i)], rows[at(i) + static_cast<std::size_t>(draw)]);
    }
    rows.resize(at(half));
    std::sort(rows.begin(), rows.end());
    return rows;
}

Matrix rows_of(MatrixView<const float> points, const std::vector<Index>& rows) {
    std::vector<float> values;
    values.reserve(rows.size() * at(points.cols));
    for (const Index row : rows) {
        const float* const first = points.data + Offset{row} * points.cols;
        values.insert(values.end(), first, first + points.cols);
    }
    return {static_cast<Index>(rows.size()), points.cols, std::move(values)};
}

/// The same task for half of the points: half as many make a cluster.
Options halved(Options options) {
    const auto half = [](Index count, Index least) { return std::max(least, (count + 1) / 2); };
    options.min_size = half(options.min_size, 2);
    if (options.min_samples) options.min_samples = half(*options.min_samples, 1);
    if (options.max_size) options.max_size = half(*options.max_size, 1);
    options.layers = 1;
    return options;
}

/// For each of `clusters` sets the largest Jaccard index with a set of the other labels, among the same points; NaN
/// where it has no point.
std::vector<double> best_jaccard(Index clusters, const std::vector<Index>& labels, const std::vector<Index>& others) {
    std::vector<Index> size(at(clusters), 0), other_size;
    std::unordered_map<std::uint64_t, Index> common;
    for (std::size_t p = 0; p < labels.size(); ++p) {
        if (others[p] >= 0) {
            if (others[p] >= std::ssize(other_size)) other_size.resize(at(others[p]) + 1, 0);
            ++other_size[at(others[p])];
        }
        if (labels[p] < 0) continue;
        ++size[at(labels[p])];
        if (others[p] >= 0)
            ++common[static_cast<std::uint64_t>(labels[p]) << 32U | static_cast<std::uint64_t>(others[p])];
    }
    std::vector<double> best(at(clusters), 0);
    for (const auto& [pair, count] : common) {
        const auto a = static_cast<std::size_t>(pair >> 32U), b = static_cast<std::size_t>(pair & 0xffffffffU);
        best[a] = std::max(best[a], static_cast<double>(count) / (size[a] + other_size[b] - count));
    }
    for (std::size_t c = 0; c < best.size(); ++c) {
        if (size[c] == 0) best[c] = std::numeric_limits<double>::quiet_NaN();
    }
    return best;
}

}  // namespace

std::vector<double> stabilities(const Result& result, MatrixView<const float> points, const Run& run) {
    if (points.rows != std::ssize(result.labels)) {
        throw Error(Fault::bad_input,
                    fmt::format("{} points are given for clusters of {}; give those that were clustered", points.rows,
                                result.labels.size()));
    }
    const Options options = halved(result.options);
    std::vector<double> sum(at(result.clusters), 0);
    std::vector<int> counted(at(result.clusters), 0);
    progress::ProgressReporter reporter(run, "stability", half_samples);
    Run quiet = run;
    quiet.on_progress = {};
    for (int sample = 0; sample < half_samples; ++sample) {
        const std::vector<Index> rows = half_of(points.rows, run.seed, sample);
        std::vector<Index> labels;
        labels.reserve(rows.size());
        for (const Index row : rows) labels.push_back(result.labels[at(row)]);
        const auto finite = std::count_if(labels.begin(), labels.end(), [](Index label) { return label >= noise; });
        if (finite == 0) continue;
        Options chosen = options;
        if (chosen.min_samples) chosen.min_samples = std::min(*chosen.min_samples, static_cast<Index>(finite));
        const Result half = cluster(rows_of(points, rows).view(), chosen, quiet);
        if (half.labels.empty()) return {};
        const std::vector<double> best = best_jaccard(result.clusters, labels, half.labels);
        for (std::size_t c = 0; c < best.size(); ++c) {
            if (best[c] >= 0) sum[c] += best[c], ++counted[c];
        }
        reporter.tick(sample + 1);
    }
    for (std::size_t c = 0; c < sum.size(); ++c)
        sum[c] = counted[c] > 0 ? sum[c] / counted[c] : std::numeric_limits<double>::quiet_NaN();
    return sum;
}

}  // namespace dunlin::clusters
