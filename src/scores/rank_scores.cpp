// SPDX-License-Identifier: Apache-2.0
#include "scores/rank_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/labels.hpp>

namespace dunlin::scores {

namespace {

/// The label that most of the neighbors have, which come nearest first; of several such labels that of the nearest.
Index vote(std::span<const Index> neighbors, const Labels& labels) {
    std::vector<Index> ballot(neighbors.size());
    std::ranges::transform(neighbors, ballot.begin(), [&](Index j) { return labels.of[at(j)]; });
    // Nearest first, so that the first of the greatest counts wins: a tie depends neither on names nor on their order
    return *std::ranges::max_element(ballot, {}, [&](Index label) { return std::ranges::count(ballot, label); });
}

/// The co-ranking of some rows of one map.
struct RankedRows {
    EvaluatedRows evaluated;
    CoRanking ranking;
};

RankedRows rank_rows(ScoreEngine& engine, const Map& map, Index k, const Options& options, const Run& run) {
    EvaluatedRows evaluated = nearest_in_map(engine, map, rows_to_sort(map.size(), options, run), k);
    std::vector<CoRanking> found = engine.co_rank({&map, 1}, evaluated.rows, {&evaluated.neighbors, 1}, evaluated.k);
    return {std::move(evaluated), std::move(found.front())};
}

}  // namespace

Score trustworthiness_of(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    const double n = evaluated.n;
    const double worst = k * (2 * n - 3 * k - 1) / 2;  // maximum of a row's penalty
    return evaluated.mean(cpu, [&](std::size_t row) {
        double lack = 0;
        for (const Index rank : evaluated.of(ranks, row, k)) lack += std::max(rank - k, 0);
        return 1 - lack / worst;
    });
}

/// A point of the map's k nearest is among the data's k nearest if its rank is at most k.
Score preservation_of(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    return evaluated.mean(cpu, [&](std::size_t row) {
        const auto mine = evaluated.of(ranks, row, k);
        return static_cast<double>(std::count_if(mine.begin(), mine.end(), [k](Index rank) { return rank <= k; })) / k;
    });
}

Score preservation_by(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> nearest, Index k) {
    return evaluated.mean(cpu, [&](std::size_t row) {
        const auto own = evaluated.of(nearest, row, k), mine = evaluated.of(evaluated.neighbors, row, k);
        std::vector<Index> data(own.begin(), own.end());
        std::sort(data.begin(), data.end());
        const auto kept = std::count_if(mine.begin(), mine.end(),
                                        [&](Index j) { return std::binary_search(data.begin(), data.end(), j); });
        return static_cast<double>(kept) / k;
    });
}

Score label_accuracy_of(device::Cpu& cpu, const EvaluatedRows& evaluated, const Labels& labels, Index k) {
    return evaluated.mean(cpu, [&](std::size_t row) {
        const Index winner = vote(evaluated.of(evaluated.neighbors, row, k), labels);
        return winner == labels.of[at(evaluated.rows[row])] ? 1.0 : 0.0;
    });
}

Score label_accuracy_of(ScoreEngine& engine, const Map& map, const Labels& labels, Index k, const Options& options,
                        const Run& run) {
    if (unlabeled(labels) == 0)
        return label_accuracy_of(engine.cpu(), nearest_in_map(engine, map, rows_to_vote(map.size(), options, run), k),
                                 labels, k);
    Map labeled{map.dim, {}};
    Labels theirs{{}, labels.names};
    for (Index i = 0; i < map.size(); ++i) {
        if (labels.of[at(i)] == no_label) continue;
        const auto place = map.view().row(i);
        labeled.coordinates.insert(labeled.coordinates.end(), place.begin(), place.end());
        theirs.of.push_back(labels.of[at(i)]);
    }
    if (labeled.size() <= k) return {std::numeric_limits<double>::quiet_NaN(), 0};
    return label_accuracy_of(engine, labeled, theirs, k, options, run);
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
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("trustworthiness", *engine, points, map);
    check_k("trustworthiness", k, largest_k_of_trustworthiness(map.size()), map.size());
    const EvaluatedRows evaluated = nearest_in_map(*engine, map, rows_of_trustworthiness(map.size(), options, run), k);
    return trustworthiness_of(engine->cpu(), evaluated, engine->data_ranks(evaluated.rows, evaluated.neighbors), k);
}

Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check("preservation", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("preservation", *engine, points, map);
    check_k("preservation", k, map.size() - 1, map.size());
    const EvaluatedRows evaluated = nearest_in_map(*engine, map, rows_of_preservation(map.size(), options, run), k);
    device::Cpu& cpu = engine->cpu();
    if (evaluated.rows == rows_of_trustworthiness(map.size(), options, run))
        return preservation_of(cpu, evaluated, engine->data_ranks(evaluated.rows, evaluated.neighbors), k);
    return preservation_by(cpu, evaluated, engine->nearest_in_data(evaluated.rows, k), k);
}

Score label_accuracy(const Map& map, const Labels& labels, Index k, const Options& options, const Run& run) {
    check("label_accuracy", map, options);
    check_sizes("label_accuracy", "labels", std::ssize(labels.of), map);
    check_k("label_accuracy", k, map.size() - 1, map.size());
    const auto engine = make_engine({}, map.size(), options.metric, run);
    return label_accuracy_of(*engine, map, labels, k, options, run);
}

Score continuity(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check("continuity", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("continuity", *engine, points, map);
    check_k("continuity", k, largest_k_of_trustworthiness(map.size()), map.size());
    const RankedRows rows = rank_rows(*engine, map, k, options, run);
    return trustworthiness_of(engine->cpu(), rows.evaluated, rows.ranking.map_ranks, k);
}

Rnx rnx(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("rnx_auc", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("rnx_auc", *engine, points, map);
    check_count("rnx_auc", "points", map.size(), 3);
    const RankedRows rows = rank_rows(*engine, map, 1, options, run);
    return {mean_over(rows.ranking.rnx_auc, map.size()), rnx_curve(rows.ranking)};
}

Score density_correlation(MatrixView<const float> points, const Map& map, Index k, const Options& options,
                          const Run& run) {
    check("density_correlation", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("density_correlation", *engine, points, map);
    check_count("density_correlation", "points", map.size(), 3);
    check_k("density_correlation", k, map.size() - 1, map.size());
    return density_correlation_of(rank_rows(*engine, map, k, options, run).ranking);
}

}  // namespace dunlin::scores
