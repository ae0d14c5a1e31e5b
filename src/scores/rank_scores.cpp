// SPDX-License-Identifier: Apache-2.0
#include "scores/rank_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/choose.hpp"
#include "neighbors/search_rows.hpp"
#include "scores/data_ranks.hpp"

namespace dunlin::scores {

namespace {

Index vote(std::span<const Index> neighbors, const Labels& labels, std::vector<Index>& ballot) {
    ballot.clear();
    for (const Index j : neighbors) ballot.push_back(labels.of[at(j)]);
    std::sort(ballot.begin(), ballot.end());
    Index winner = -1;
    std::ptrdiff_t most = 0;
    for (auto at = ballot.begin(); at != ballot.end();) {
        const auto end = std::upper_bound(at, ballot.end(), *at);
        if (end - at > most) {
            most = end - at;
            winner = *at;
        }
        at = end;
    }
    return winner;
}

/// The co-ranking of some rows of one map.
struct RankedRows {
    EvaluatedRows evaluated;
    CoRanking ranking;
};

RankedRows rank_rows(device::Cpu& cpu, MatrixView<const float> points, const Map& map, Index k, const Options& options,
                     const Run& run) {
    EvaluatedRows evaluated = nearest_in_map(cpu, map, rows_to_sort(map.size(), options, run), k, run);
    PairDistances distances(cpu, points, options.metric);
    std::vector<CoRanking> found =
        co_rank(cpu, run, distances, {&map, 1}, evaluated.rows, {&evaluated.neighbors, 1}, evaluated.k);
    return {std::move(evaluated), std::move(found.front())};
}

}  // namespace

Score trustworthiness_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    const double n = evaluated.n;
    const double worst = k * (2 * n - 3 * k - 1) / 2;  // maximum of a row's penalty
    return evaluated.mean([&](std::size_t row) {
        double lack = 0;
        for (const Index rank : evaluated.of(ranks, row, k)) lack += std::max(rank - k, 0);
        return 1 - lack / worst;
    });
}

/// A point of the map's k nearest is among the data's k nearest if its rank is at most k.
Score preservation_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    return evaluated.mean([&](std::size_t row) {
        const auto mine = evaluated.of(ranks, row, k);
        return static_cast<double>(std::count_if(mine.begin(), mine.end(), [k](Index rank) { return rank <= k; })) / k;
    });
}

Score preservation_by(const EvaluatedRows& evaluated, const Graph& nearest, Index k) {
    std::vector<Index> data;
    return evaluated.mean([&](std::size_t row) {
        const auto begin = nearest.targets.begin() + nearest.offsets[row];
        data.assign(begin, begin + k);
        std::sort(data.begin(), data.end());
        const auto mine = evaluated.of(evaluated.neighbors, row, k);
        const auto kept = std::count_if(mine.begin(), mine.end(),
                                        [&](Index j) { return std::binary_search(data.begin(), data.end(), j); });
        return static_cast<double>(kept) / k;
    });
}

Score label_accuracy_of(const EvaluatedRows& evaluated, const Labels& labels, Index k) {
    std::vector<Index> ballot;
    return evaluated.mean([&](std::size_t row) {
        const Index winner = vote(evaluated.of(evaluated.neighbors, row, k), labels, ballot);
        return winner == labels.of[at(evaluated.rows[row])] ? 1.0 : 0.0;
    });
}

Score density_correlation_of(const CoRanking& ranking) {
    std::vector<double> x, y;
    for (std::size_t r = 0; r < ranking.data_radius.size(); ++r) {
        if (ranking.data_radius[r] <= 0 || ranking.map_radius[r] <= 0) continue;
        x.push_back(std::log(ranking.data_radius[r]));
        y.push_back(std::log(ranking.map_radius[r]));
    }
    const Score undefined{std::numeric_limits<double>::quiet_NaN(), 0};
    if (x.size() < 3) return undefined;
    const auto standardize = [](std::vector<double>& values) {
        const double mean = mean_over(values, 0).value;
        double square = 0;
        for (double& v : values) {
            v -= mean;
            square += v * v;
        }
        if (!(square > 0)) return false;
        const double deviation = std::sqrt(square / static_cast<double>(values.size()));
        for (double& v : values) v /= deviation;
        return true;
    };
    if (!standardize(x) || !standardize(y)) return undefined;
    double r = 0;
    for (std::size_t i = 0; i < x.size(); ++i) r += x[i] * y[i] / static_cast<double>(x.size());
    std::vector<double> influences(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) influences[i] = x[i] * y[i] - r / 2 * (x[i] * x[i] + y[i] * y[i]);
    const bool sampled = ranking.data_radius.size() < at(ranking.n);
    return {r, sampled ? mean_over(influences, ranking.n).se : 0};
}

Score trustworthiness(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check("trustworthiness", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("trustworthiness", cpu, points, map);
    check_k("trustworthiness", k, largest_k_of_trustworthiness(map.size()), map.size());
    const EvaluatedRows evaluated = nearest_in_map(cpu, map, rows_of_trustworthiness(map.size(), options, run), k, run);
    PairDistances distances(cpu, points, options.metric);
    return trustworthiness_of(evaluated, data_ranks(distances, evaluated.rows, evaluated.neighbors), k);
}

Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check("preservation", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("preservation", cpu, points, map);
    check_k("preservation", k, map.size() - 1, map.size());
    const EvaluatedRows evaluated = nearest_in_map(cpu, map, rows_of_preservation(map.size(), options, run), k, run);
    if (evaluated.rows == rows_of_trustworthiness(map.size(), options, run)) {
        PairDistances distances(cpu, points, options.metric);
        return preservation_of(evaluated, data_ranks(distances, evaluated.rows, evaluated.neighbors), k);
    }
    return preservation_by(evaluated,
                           neighbors::search_rows(cpu, points, evaluated.rows, k, options.metric, quiet_run(run)), k);
}

Score label_accuracy(const Map& map, const Labels& labels, Index k, const Options& options, const Run& run) {
    check("label_accuracy", map, options);
    check_sizes("label_accuracy", "labels", std::ssize(labels.of), map);
    check_k("label_accuracy", k, map.size() - 1, map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    return label_accuracy_of(nearest_in_map(cpu, map, rows_to_vote(map.size(), options, run), k, run), labels, k);
}

Score continuity(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check("continuity", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("continuity", cpu, points, map);
    check_k("continuity", k, largest_k_of_trustworthiness(map.size()), map.size());
    const RankedRows rows = rank_rows(cpu, points, map, k, options, run);
    return trustworthiness_of(rows.evaluated, rows.ranking.map_ranks, k);
}

Rnx rnx(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("rnx_auc", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("rnx_auc", cpu, points, map);
    check_count("rnx_auc", "points", map.size(), 3);
    const RankedRows rows = rank_rows(cpu, points, map, 1, options, run);
    return {mean_over(rows.ranking.rnx_auc, map.size()), rnx_curve(rows.ranking)};
}

Score density_correlation(MatrixView<const float> points, const Map& map, Index k, const Options& options,
                          const Run& run) {
    check("density_correlation", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("density_correlation", cpu, points, map);
    check_count("density_correlation", "points", map.size(), 3);
    check_k("density_correlation", k, map.size() - 1, map.size());
    return density_correlation_of(rank_rows(cpu, points, map, k, options, run).ranking);
}

}  // namespace dunlin::scores
