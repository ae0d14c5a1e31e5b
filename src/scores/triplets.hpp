// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/scores.hpp>

#include "scores/score_engine.hpp"

namespace dunlin::scores {

/// Random triplets (i, j, k) of different points: `each` of every anchor i, and their order in the data.
class Triplets {
public:
    static constexpr Index each = 5;

    /// min(5 n, 100,000) of them. Requires n >= 3.
    Triplets(ScoreEngine& engine, Index n, std::uint64_t seed);

    /// Share of the triplets with d(i, j) < d(i, k) either in both the data and the map, or in neither.
    [[nodiscard]] Score of(const Map& map) const;

    [[nodiscard]] const std::vector<Index>& anchors() const { return anchors_; }
    [[nodiscard]] const std::vector<Index>& others() const { return others_; }  ///< j, k, j, k, ..: 10 of an anchor

private:
    ScoreEngine& engine_;
    Index n_;
    std::vector<Index> anchors_, others_;
    std::vector<char> first_is_nearer_;  ///< in the data
};

}  // namespace dunlin::scores
