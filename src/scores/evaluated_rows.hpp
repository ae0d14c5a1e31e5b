// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "scores/sample.hpp"
#include "scores/score_engine.hpp"

/// What the scores of points have in common: checks, and the rows that they use.
namespace dunlin::scores {

/// Each throws Error{bad_input}. `score` begins the sentence.
void check(const char* score, const Map& map, const Options& options);
void check_sizes(const char* score, const char* what, Offset count, const Map& map);
void check_points(const char* score, ScoreEngine& engine, MatrixView<const float> points, const Map& map);
void check_points(const char* score, device::Cpu& cpu, MatrixView<const float> points, const Map& map);
void check_k(const char* score, Index k, Index largest, Index n);
void check_count(const char* score, const char* what, Index count, Index least);

/// The first row that holds NaN or infinity, or the number of rows.
Index first_not_finite_row(device::Cpu& cpu, MatrixView<const float> rows);

/// The run without progress and cancellation, which the caller handles.
inline Run quiet_run(const Run& run) { return {.threads = run.threads, .memory = run.memory}; }

/// Evaluated rows of a map, and the k nearest in the map of each.
struct EvaluatedRows {
    Index n, k;
    std::vector<Index> rows;       ///< ascending
    std::vector<Index> neighbors;  ///< rows.size() x k, nearest first

    /// A subset of the evaluated rows.
    [[nodiscard]] EvaluatedRows only(const std::vector<Index>& some) const;

    /// The first of the k entries of a row in a table of this shape.
    [[nodiscard]] std::span<const Index> of(std::span<const Index> table, std::size_t row, Index first) const {
        return table.subspan(row * at(k), at(first));
    }

    /// Mean of value(row) over the evaluated rows; `value` is called concurrently.
    template <class Value>
    [[nodiscard]] Score mean(device::Cpu& cpu, const Value& value) const {
        std::vector<double> values(rows.size());
        cpu.each(std::ssize(values), [&](Offset r) { values[at(r)] = value(at(r)); }, 256);
        return mean_over(values, n);
    }
};

/// The k nearest in the map of the given rows.
EvaluatedRows nearest_in_map(ScoreEngine& engine, const Map& map, std::vector<Index> rows, Index k);

/// Rows whose neighbors in the map are ranked in the data.
std::vector<Index> rows_of_trustworthiness(Index n, const Options& options, const Run& run);
/// Those of them from which all points are ranked, in the data and in the map.
std::vector<Index> rows_to_sort(Index n, const Options& options, const Run& run);
std::vector<Index> rows_of_preservation(Index n, const Options& options, const Run& run);
/// Rows whose label is predicted by a vote of their neighbors, among n points with labels.
std::vector<Index> rows_to_vote(Index n, const Options& options, const Run& run);

}  // namespace dunlin::scores
