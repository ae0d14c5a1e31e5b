// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "scores/score_engine.hpp"

namespace dunlin::scores {

/// The pairs of some points, and their distances in the data.
class SampledPairs {
public:
    /// Of all n points, or of a random sample if there are more than `most`.
    SampledPairs(ScoreEngine& engine, Index n, Index most, std::uint64_t seed);

    /// Spearman's correlation with the distances in a map; NaN if all distances are equal in the data or in the map.
    [[nodiscard]] Score correlation(const Map& map) const;

    /// Share of the pairs of distances that are ordered alike in the data and in a map.
    [[nodiscard]] Score order(const Map& map) const;

private:
    /// Squared distances of the pairs in a map.
    [[nodiscard]] std::vector<double> distances_in(const Map& map) const;
    [[nodiscard]] Index count() const { return static_cast<Index>(rows_.size()); }

    ScoreEngine& engine_;
    Index n_;
    std::vector<Index> rows_;
    std::vector<double> data_;  ///< values of the pairs (i, j < i), row by row
};

/// Share of the pairs of distances (x_i, x_j), i < j, for which x_i > x_j and y_i > y_j, or neither, as PaCMAP's
/// evaluation counts (Wang, Huang, Rudin and Shaposhnik 2021). x and y are as those of spearman_of_pairs. The standard
/// error is that of a U-statistic of order 4 (Hoeffding 1948): the spread of the items' shares; 0 if m = n.
Score order_of_pairs(device::Cpu& cpu, std::span<const double> x, std::span<const double> y, Index m, Index n);

}  // namespace dunlin::scores
