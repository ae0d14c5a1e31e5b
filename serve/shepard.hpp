// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <dunlin/shepard.hpp>

#include "viewed.hpp"

namespace dunlin::serve {

/// The Shepard diagram of a map: distances in the map over those in the data, of random pairs, counted in square cells.
/// Of many points, of the pairs of a random sample of them.
class Shepard {
public:
    static constexpr Index most_points = 20000, most_pairs = 50000;
    static constexpr int columns = 48;                              ///< and rows
    static constexpr std::size_t most_lines = 200, most_often = 8;  ///< of Chosen

    /// Whether the distances in the data can be had.
    static bool is_known(const Viewed& viewed);
    explicit Shepard(const Viewed& viewed);

    [[nodiscard]] Offset pairs() const { return static_cast<Offset>(found_.first.size()); }
    /// Of which these pairs are.
    [[nodiscard]] Index points() const { return points_; }
    [[nodiscard]] double most_in_data() const { return most_[0]; }
    [[nodiscard]] double most_in_map() const { return most_[1]; }
    /// Pairs in each cell, columns x columns, those of the smallest distance in the map first.
    [[nodiscard]] std::vector<Index> counts() const;
    /// Distance in the map over that in the data with the least squared error, a line through 0: its slope.
    [[nodiscard]] double slope() const { return slope_; }

    struct Chosen {
        Offset pairs = 0;
        std::vector<Index> rows;                     ///< that the pairs have, ascending
        std::vector<Index> ends;                     ///< of some of the pairs, two of each
        std::vector<std::pair<Index, Index>> often;  ///< the rows that most of the pairs have, and how many
    };
    /// The pairs of the cells from (column, row) to (column, row).
    [[nodiscard]] Chosen within(const std::array<int, 4>& cells) const;
    /// One in a hundred: those farthest apart in the map for their distance in the data, or those closest together.
    [[nodiscard]] Chosen worst(bool apart) const;

private:
    [[nodiscard]] std::array<int, 2> cell(std::size_t pair) const;
    [[nodiscard]] Chosen chosen_of(const std::vector<std::size_t>& pairs) const;

    Index points_ = 0;
    mds::ShepardPairs found_;  ///< numbers are rows of the map
    std::array<double, 2> most_{0, 0};
    double slope_ = 0;
};

}  // namespace dunlin::serve
