// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/progress.hpp"
#include "neighbors/search_rows.hpp"
#include "scores/data_ranks.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

/// Evaluated rows of a map, and the k nearest in the map of each.
struct EvaluatedRows {
    Index n, k;
    std::vector<Index> rows;
    std::vector<Index> neighbors;  ///< rows.size() x k, nearest first

    /// A subset of the evaluated rows.
    [[nodiscard]] EvaluatedRows only(const std::vector<Index>& some) const {
        EvaluatedRows part{n, k, some, {}};
        for (const Index row : some) {
            const auto place = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
            const auto mine = of(neighbors, static_cast<std::size_t>(place), k);
            part.neighbors.insert(part.neighbors.end(), mine.begin(), mine.end());
        }
        return part;
    }

    [[nodiscard]] std::span<const Index> of(std::span<const Index> table, std::size_t row, Index first) const {
        return table.subspan(row * static_cast<std::size_t>(k), static_cast<std::size_t>(first));
    }

    /// Mean of value(row) over the evaluated rows.
    template <class Value>
    [[nodiscard]] Score mean(const Value& value) const {
        std::vector<double> values(rows.size());
        for (std::size_t r = 0; r < values.size(); ++r) values[r] = value(r);
        return mean_over(values, n);
    }
};

/// The k nearest in the map of the given rows.
EvaluatedRows nearest_in_map(device::Cpu& cpu, const Map& map, std::vector<Index> rows, Index k, const Run& quiet) {
    Graph nearest = neighbors::search_rows(cpu, map.view(), rows, k, neighbors::Metric::euclidean, quiet);
    return {map.size(), k, std::move(rows), std::move(nearest.targets)};
}

void check(const Map& map, const Options& options) {
    if (map.dim < 1) {
        throw Error(Fault::bad_input, fmt::format("the map has {} dimensions; it needs at least 1", map.dim));
    }
    if (options.sample && *options.sample < 2) {
        throw Error(Fault::bad_input, fmt::format("sample: {} rows tell nothing; use at least 2", *options.sample),
                    {.option = "sample"});
    }
}

/// The run without progress and cancellation, which the caller handles.
Run quiet_run(const Run& run) { return {.threads = run.threads, .memory = run.memory}; }

std::vector<Index> rows_by(const SamplingRule& table, Index n, std::optional<Index> exact, const Options& o,
                           const Run& run) {
    const SamplingRule size = rule_of(o.extent, n, table, exact, o.sample);
    return rows_to_evaluate(n, size.exact, size.sample, run.seed);
}

/// Rows whose neighbors in the map are ranked in the data.
std::vector<Index> rows_of_trustworthiness(Index n, const Options& options, const Run& run) {
    return rows_by(trustworthiness_rows(n), n, options.exact_rows, options, run);
}

std::vector<Index> rows_of_preservation(Index n, const Options& options, const Run& run) {
    return rows_by(preservation_rows(n), n, options.exact_rows, options, run);
}

std::vector<Index> rows_to_vote(Index n, const Options& options, const Run& run) {
    return rows_by(label_rows(n), n, options.exact_votes, options, run);
}

/// Union of two ascending lists.
std::vector<Index> united(const std::vector<Index>& a, const std::vector<Index>& b) {
    std::vector<Index> both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

void check_sizes(const char* score, const char* what, Offset count, Index map_size) {
    if (count == map_size) return;
    throw Error(Fault::bad_input, fmt::format("{}: the {} {} and the map {} points; give the {} the map was made from",
                                              score, what, count, map_size, what));
}

void check_k(const char* score, Index k, Index largest, Index n) {
    if (k >= 1 && k <= largest) return;
    if (largest < 1) throw Error(Fault::bad_input, fmt::format("{}: {} points are too few for any k", score, n));
    throw Error(Fault::bad_input, fmt::format("{}: k = {} with {} points; use 1 to {}", score, k, n, largest));
}

Index largest_k_of_trustworthiness(Index n) { return (n - 1) / 2; }

Score trustworthiness_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    const double n = evaluated.n;
    const double worst = k * (2 * n - 3 * k - 1) / 2;  // maximum of a row's penalty
    return evaluated.mean([&](std::size_t row) {
        double lack = 0;
        for (const Index rank : evaluated.of(ranks, row, k)) lack += std::max(rank - k, 0);
        return 1 - lack / worst;
    });
}

/// From ranks: a point of the map's k nearest is among the data's k nearest if its rank is at most k.
Score preservation_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k) {
    return evaluated.mean([&](std::size_t row) {
        const auto mine = evaluated.of(ranks, row, k);
        return static_cast<double>(std::count_if(mine.begin(), mine.end(), [k](Index rank) { return rank <= k; })) / k;
    });
}

/// From a neighbor graph: `nearest` has at least k nearest in the data of each evaluated row.
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

Index vote(std::span<const Index> neighbors, const Labels& labels, std::vector<Index>& ballot) {
    ballot.clear();
    for (const Index j : neighbors) ballot.push_back(labels.of[static_cast<std::size_t>(j)]);
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

Score label_accuracy_of(const EvaluatedRows& evaluated, const Labels& labels, Index k) {
    std::vector<Index> ballot;
    return evaluated.mean([&](std::size_t row) {
        const Index winner = vote(evaluated.of(evaluated.neighbors, row, k), labels, ballot);
        return winner == labels.of[static_cast<std::size_t>(evaluated.rows[row])] ? 1.0 : 0.0;
    });
}

/// Computes the scores that need the data, from the nearest in the map of all rows that they use.
void evaluate_neighbors(device::Cpu& cpu, MatrixView<const float> points, const EvaluatedRows& evaluated,
                        const Options& options, const Run& run, Scores& scores) {
    const Index n = points.rows;
    const EvaluatedRows kept = evaluated.only(rows_of_preservation(n, options, run)),
                        ranked = evaluated.only(rows_of_trustworthiness(n, options, run));
    const bool trusts = largest_k_of_trustworthiness(n) >= 12, has_15 = n > 15;
    std::vector<Index> ranks;
    if (trusts || kept.rows == ranked.rows)
        ranks = data_ranks(cpu, points, options.metric, ranked.rows, ranked.neighbors);
    if (trusts) scores.trustworthiness = trustworthiness_of(ranked, ranks, 12);
    if (kept.rows == ranked.rows) {
        scores.preservation_10 = preservation_of(ranked, ranks, 10);
        if (has_15) scores.preservation_15 = preservation_of(ranked, ranks, 15);
        return;
    }
    const Graph nearest = neighbors::search_rows(cpu, points, kept.rows, evaluated.k, options.metric, quiet_run(run));
    scores.preservation_10 = preservation_by(kept, nearest, 10);
    if (has_15) scores.preservation_15 = preservation_by(kept, nearest, 15);
}

/// Computes the scores one by one.
void evaluate_all(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
                  const Options& options, const Run& run, Scores& scores) {
    const Index n = map.size();
    device::Cpu cpu(run);
    device::ProgressReporter reporter(run, "score", 3);
    if (affinities.size() > 0 && n >= 2) scores.kl = kl(affinities, map, options, run);
    reporter.announce(1);
    if (n <= 10 || (labels.empty() && points.rows == 0)) return;
    std::vector<Index> rows, voting;
    if (!labels.empty()) rows = voting = rows_to_vote(n, options, run);
    if (points.rows > 0)
        rows = united(rows, united(rows_of_trustworthiness(n, options, run), rows_of_preservation(n, options, run)));
    const EvaluatedRows evaluated =
        nearest_in_map(cpu, map, std::move(rows), std::min<Index>(15, n - 1), quiet_run(run));
    if (!labels.empty()) scores.label_accuracy = label_accuracy_of(evaluated.only(voting), labels, 10);
    reporter.announce(2);
    if (points.rows > 0) evaluate_neighbors(cpu, points, evaluated, options, run, scores);
    reporter.announce(3);
}

}  // namespace

Score trustworthiness(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("trustworthiness", "points", points.rows, map.size());
    check_k("trustworthiness", k, largest_k_of_trustworthiness(map.size()), map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const EvaluatedRows evaluated =
        nearest_in_map(cpu, map, rows_of_trustworthiness(map.size(), options, run), k, quiet_run(run));
    return trustworthiness_of(evaluated, data_ranks(cpu, points, options.metric, evaluated.rows, evaluated.neighbors),
                              k);
}

Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("preservation", "points", points.rows, map.size());
    check_k("preservation", k, map.size() - 1, map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const EvaluatedRows evaluated =
        nearest_in_map(cpu, map, rows_of_preservation(map.size(), options, run), k, quiet_run(run));
    if (evaluated.rows == rows_of_trustworthiness(map.size(), options, run))
        return preservation_of(evaluated, data_ranks(cpu, points, options.metric, evaluated.rows, evaluated.neighbors),
                               k);
    return preservation_by(evaluated,
                           neighbors::search_rows(cpu, points, evaluated.rows, k, options.metric, quiet_run(run)), k);
}

Score label_accuracy(const Map& map, const Labels& labels, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("label_accuracy", "labels", static_cast<Offset>(labels.of.size()), map.size());
    check_k("label_accuracy", k, map.size() - 1, map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    return label_accuracy_of(nearest_in_map(cpu, map, rows_to_vote(map.size(), options, run), k, quiet_run(run)),
                             labels, k);
}

Scores evaluate(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
                const Options& options, const Run& run) {
    check(map, options);
    if (points.rows > 0) check_sizes("scores", "points", points.rows, map.size());
    if (!labels.empty()) check_sizes("scores", "labels", static_cast<Offset>(labels.of.size()), map.size());
    device::require_cpu(run, "scores are");
    Scores scores;
    if (options.extent == Extent::none) return scores;
    device::run_cancellable(run.stop, [&] { evaluate_all(map, points, affinities, labels, options, run, scores); });
    return scores;
}

}  // namespace dunlin::scores
