// SPDX-License-Identifier: Apache-2.0
#include "scores/evaluated_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include <dunlin/error.hpp>

#include "distance/keys.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

std::vector<Index> rows_by(const SamplingRule& table, Index n, std::optional<Index> exact, const Options& o,
                           const Run& run) {
    const SamplingRule size = rule_of(o.extent, n, table, exact, o.sample);
    return rows_to_evaluate(n, size.exact, size.sample, run.seed);
}

/// first: the first row with NaN or infinity, or the number of rows.
void check_finite(const char* score, const char* what, Index first, Index rows) {
    if (first == rows) return;
    throw Error(Fault::bad_input,
                fmt::format("{}: row {} of the {} (counting from 0) holds NaN or infinity, which have no distance to "
                            "anything; drop the row or fill in the value",
                            score, first, what),
                {.row = first});
}

}  // namespace

Index first_not_finite_row(device::Cpu& cpu, MatrixView<const float> rows) {
    std::atomic<Index> first = rows.rows;
    cpu.each(
        rows.rows,
        [&](Offset i) {
            const auto row = static_cast<Index>(i);
            if (distance::all_finite(rows.row(row).data(), rows.cols)) return;
            for (Index least = first; row < least && !first.compare_exchange_weak(least, row);) {
            }
        },
        1024);
    return first;
}

void check(const char* score, const Map& map, const Options& options) {
    if (map.dim < 1) {
        throw Error(Fault::bad_input,
                    fmt::format("{}: the map has {} dimensions; it needs at least 1", score, map.dim));
    }
    if (options.sample && *options.sample < 2) {
        throw Error(Fault::bad_input, fmt::format("sample is {}; it must be at least 2", *options.sample),
                    {.option = "sample"});
    }
}

void check_sizes(const char* score, const char* what, Offset count, const Map& map) {
    if (count == map.size()) return;
    throw Error(Fault::bad_input, fmt::format("{}: the {} {} and the map {} points; give the {} the map was made from",
                                              score, what, count, map.size(), what));
}

void check_points(const char* score, ScoreEngine& engine, MatrixView<const float> points, const Map& map) {
    check_sizes(score, "points", points.rows, map);
    check_finite(score, "points", engine.first_not_finite_point(), points.rows);
    check_finite(score, "map", engine.first_not_finite(map), map.size());
}

void check_points(const char* score, device::Cpu& cpu, MatrixView<const float> points, const Map& map) {
    check_sizes(score, "points", points.rows, map);
    check_finite(score, "points", first_not_finite_row(cpu, points), points.rows);
    check_finite(score, "map", first_not_finite_row(cpu, map.view()), map.size());
}

void check_k(const char* score, Index k, Index largest, Index n) {
    if (k >= 1 && k <= largest) return;
    if (largest < 1) throw Error(Fault::bad_input, fmt::format("{}: {} points are too few for any k", score, n));
    throw Error(Fault::bad_input, fmt::format("{}: k = {} with {} points; use 1 to {}", score, k, n, largest));
}

void check_count(const char* score, const char* what, Index count, Index least) {
    if (count >= least) return;
    throw Error(Fault::bad_input, fmt::format("{}: there are {} {}; it needs at least {}", score, count, what, least));
}

EvaluatedRows EvaluatedRows::only(const std::vector<Index>& some) const {
    EvaluatedRows part{n, k, some, {}};
    part.neighbors.reserve(some.size() * at(k));
    std::size_t place = 0;  // both are ascending
    for (const Index row : some) {
        while (rows[place] != row) ++place;
        const auto mine = of(neighbors, place, k);
        part.neighbors.insert(part.neighbors.end(), mine.begin(), mine.end());
    }
    return part;
}

EvaluatedRows nearest_in_map(ScoreEngine& engine, const Map& map, std::vector<Index> rows, Index k) {
    std::vector<Index> neighbors = engine.nearest_in_map(map, rows, k);
    return {map.size(), k, std::move(rows), std::move(neighbors)};
}

std::vector<Index> rows_of_trustworthiness(Index n, const Options& options, const Run& run) {
    return rows_by(trustworthiness_rows(n), n, options.exact_rows, options, run);
}

std::vector<Index> rows_to_sort(Index n, const Options& options, const Run& run) {
    std::vector<Index> rows = rows_of_trustworthiness(n, options, run);
    const auto count = static_cast<Index>(rows.size());
    if (count == n) return rows;
    const Index some = sorted_rows(n, count, options.sample ? sorted_points_of_sample : sorted_points);
    if (some == count) return rows;
    std::vector<Index> drawn = sample_rows(count, some, run.seed);
    for (Index& row : drawn) row = rows[at(row)];
    return drawn;
}

std::vector<Index> rows_of_preservation(Index n, const Options& options, const Run& run) {
    return rows_by(preservation_rows(n), n, options.exact_rows, options, run);
}

std::vector<Index> rows_to_vote(Index n, const Options& options, const Run& run) {
    return rows_by(label_rows(n), n, options.exact_votes, options, run);
}

}  // namespace dunlin::scores
