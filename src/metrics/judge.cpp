#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/metrics.hpp>

#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/heed.hpp"
#include "metrics/data_ranks.hpp"
#include "metrics/sample.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::metrics {

namespace {

/// The judged rows of a map, and the k nearest of each.
struct Judged {
    Index n, k;
    std::vector<Index> rows;
    std::vector<Index> neighbors;  ///< rows.size() x k, nearest first

    Judged(device::Cpu& cpu, const Map& map, std::vector<Index> looked_at, Index count, const Run& quiet)
        : n(map.size()),
          k(count),
          rows(std::move(looked_at)),
          neighbors(neighbors::search_rows(cpu, map.view(), rows, k, neighbors::Metric::euclidean, quiet).targets) {}

    [[nodiscard]] std::span<const Index> of(std::span<const Index> table, std::size_t row, Index first) const {
        return table.subspan(row * static_cast<std::size_t>(k), static_cast<std::size_t>(first));
    }

    /// The mean over the judged rows of value(row).
    template <class Value>
    [[nodiscard]] Score mean(const Value& value) const {
        std::vector<double> values(rows.size());
        for (std::size_t r = 0; r < values.size(); ++r) values[r] = value(r);
        return mean_over(values, n);
    }
};

void check(const Map& map, const Options& options) {
    if (map.dim < 1) {
        throw Error(Fault::bad_input, fmt::format("the map has {} dimensions; it needs at least 1", map.dim));
    }
    if (options.sample < 2) {
        throw Error(Fault::bad_input, fmt::format("sample: {} rows tell nothing; use at least 2", options.sample));
    }
}

/// The run without its voice and its stop: a single score is computed to the end.
Run patient(const Run& run) { return {.threads = run.threads, .memory = run.memory}; }

std::vector<Index> rows_to_rank(const Map& map, const Options& options, const Run& run) {
    return rows_to_judge(map.size(), options.exact_rows, options.sample, run.seed);
}

std::vector<Index> rows_to_vote(const Map& map, const Options& options, const Run& run) {
    return rows_to_judge(map.size(), options.exact_votes, options.sample, run.seed);
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

Score trustworthiness_of(const Judged& judged, std::span<const Index> ranks, Index k) {
    const double n = judged.n;
    const double worst = k * (2 * n - 3 * k - 1) / 2;  // what a row's points among the nearest can lack at most
    return judged.mean([&](std::size_t row) {
        double lack = 0;
        for (const Index rank : judged.of(ranks, row, k)) lack += std::max(rank - k, 0);
        return 1 - lack / worst;
    });
}

/// A point of the map's k nearest is among the data's k nearest when its rank there is at most k.
Score preservation_of(const Judged& judged, std::span<const Index> ranks, Index k) {
    return judged.mean([&](std::size_t row) {
        const auto mine = judged.of(ranks, row, k);
        return static_cast<double>(std::count_if(mine.begin(), mine.end(), [k](Index rank) { return rank <= k; })) / k;
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

Score label_accuracy_of(const Judged& judged, const Labels& labels, Index k) {
    std::vector<Index> ballot;
    return judged.mean([&](std::size_t row) {
        const Index winner = vote(judged.of(judged.neighbors, row, k), labels, ballot);
        return winner == labels.of[static_cast<std::size_t>(judged.rows[row])] ? 1.0 : 0.0;
    });
}

/// Announces the steps of the judgement.
class Steps {
public:
    Steps(const Run& run, Offset total) : run_(run), total_(total) { tell(); }
    void next() {
        ++done_;
        tell();
    }

private:
    void tell() const {
        if (run_.on_progress) run_.on_progress({.stage = "score", .done = done_, .total = total_});
    }
    const Run& run_;
    Offset done_ = 0, total_;
};

/// Sets the scores one by one.
void judge_all(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
               const Options& options, const Run& run, Scores& scores) {
    const Index n = map.size();
    device::Cpu cpu(run);
    Steps steps(run, 3);
    if (affinities.size() > 0 && n >= 2) scores.kl = kl(affinities, map, options, run);
    steps.next();
    if (n <= 10) return;
    if (!labels.empty()) {
        const Judged voting(cpu, map, rows_to_vote(map, options, run), 10, patient(run));
        scores.label_accuracy = label_accuracy_of(voting, labels, 10);
    }
    steps.next();
    if (points.rows == 0) return;
    const Judged ranked(cpu, map, rows_to_rank(map, options, run), std::min<Index>(15, n - 1), patient(run));
    const auto ranks = data_ranks(cpu, points, options.metric, ranked.rows, ranked.neighbors);
    if (largest_k_of_trustworthiness(n) >= 12) scores.trustworthiness = trustworthiness_of(ranked, ranks, 12);
    scores.preservation_10 = preservation_of(ranked, ranks, 10);
    if (n > 15) scores.preservation_15 = preservation_of(ranked, ranks, 15);
    steps.next();
}

}  // namespace

Score trustworthiness(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("trustworthiness", "points", points.rows, map.size());
    check_k("trustworthiness", k, largest_k_of_trustworthiness(map.size()), map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const Judged judged(cpu, map, rows_to_rank(map, options, run), k, patient(run));
    return trustworthiness_of(judged, data_ranks(cpu, points, options.metric, judged.rows, judged.neighbors), k);
}

Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("preservation", "points", points.rows, map.size());
    check_k("preservation", k, map.size() - 1, map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const Judged judged(cpu, map, rows_to_rank(map, options, run), k, patient(run));
    return preservation_of(judged, data_ranks(cpu, points, options.metric, judged.rows, judged.neighbors), k);
}

Score label_accuracy(const Map& map, const Labels& labels, Index k, const Options& options, const Run& run) {
    check(map, options);
    check_sizes("label_accuracy", "labels", static_cast<Offset>(labels.of.size()), map.size());
    check_k("label_accuracy", k, map.size() - 1, map.size());
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    return label_accuracy_of(Judged(cpu, map, rows_to_vote(map, options, run), k, patient(run)), labels, k);
}

Scores judge(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
             const Options& options, const Run& run) {
    check(map, options);
    if (points.rows > 0) check_sizes("scores", "points", points.rows, map.size());
    if (!labels.empty()) check_sizes("scores", "labels", static_cast<Offset>(labels.of.size()), map.size());
    device::require_cpu(run, "scores are");
    Scores scores;
    device::unless_stopped(run.stop, [&] { judge_all(map, points, affinities, labels, options, run, scores); });
    return scores;
}

}  // namespace dunlin::metrics
