// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "scores/score_engine.hpp"
#include "scores/spearman.hpp"

namespace dunlin::scores {

/// The pairs of some points: of all n, or of a random sample if there are more than `most`.
class SampledPairs {
public:
    SampledPairs(ScoreEngine& engine, Index n, Index most, std::uint64_t seed);

    /// Spearman's correlation of the distances in the data and in each map; NaN if all are equal in the data or in the
    /// map.
    [[nodiscard]] std::vector<Score> correlations(std::span<const Map> maps) const;

    /// Share of the pairs of distances that are ordered alike in the data and in a map.
    [[nodiscard]] Score order(const Map& map) const;

private:
    ScoreEngine& engine_;
    Index n_;
    std::vector<Index> rows_;
};

/// Values of the pairs (i, j < i) of some points, row by row: distances in a table of rows.size()^2, and squared
/// distances in a map.
std::vector<double> pairs_of_table(device::Cpu& cpu, std::span<const float> table, std::size_t rows);
std::vector<double> pairs_in_map(device::Cpu& cpu, const Map& map, std::span<const Index> rows);

/// Share of the pairs of distances (x_i, x_j), i < j, for which x_i > x_j and y_i > y_j, or neither, as PaCMAP's
/// evaluation counts (Wang, Huang, Rudin and Shaposhnik 2021). x and y are values of the pairs of m items of n. The
/// standard error is that of a U-statistic of order 4 (Hoeffding 1948): the spread of the items' shares; 0 if m = n.
Score order_of_pairs(device::Cpu& cpu, std::span<const double> x, std::span<const double> y, Index m, Index n);

}  // namespace dunlin::scores
