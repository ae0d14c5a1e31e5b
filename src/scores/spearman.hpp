// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"

/// Spearman's correlation of x and y, values of the N = m (m - 1) / 2 pairs of m items, with its standard error, from
/// sums of integers: exact, so that they do not depend on their order and are the same on every device.
namespace dunlin::scores {

/// Number of the pair (i, j < i): row by row.
DUNLIN_HD constexpr Offset number_of_pair(Index i, Index j) { return Offset{i} * (i - 1) / 2 + j; }

/// Sums over the m - 1 pairs of an item, m <= 6,000. The rank of a pair is first + last - N, where [first, last) are
/// the places of its value among all in order: twice the mean of these places (the mid-rank), with the sum 0 over all
/// pairs.
struct RankSums {
    std::int64_t products = 0;  ///< of the ranks in x and in y
    std::int64_t above = 0;     ///< twice the ranks in y of all pairs of larger x, once those of equal x; and x, y
    std::int64_t ties_x = 0, ties_y = 0;  ///< (last - first)^2

    bool operator==(const RankSums&) const = default;
    RankSums& operator+=(const RankSums& other) {
        products += other.products;
        above += other.above;
        ties_x += other.ties_x;
        ties_y += other.ties_y;
        return *this;
    }
};

/// The pairs by one of their values.
class PairRanks {
public:
    /// equals: last - first.
    struct Ranked {
        Index rank, equals;
    };

    explicit PairRanks(std::span<const double> values);

    [[nodiscard]] const Ranked& operator[](std::size_t pair) const { return ranked_[pair]; }
    /// For each pair: twice the sum of the other ranks of all pairs of larger value, plus those of equal value.
    [[nodiscard]] std::vector<std::int64_t> above(const PairRanks& other) const;

private:
    std::vector<Index> order_, last_;  ///< by place: the pair, and the end of its equals
    std::vector<Ranked> ranked_;       ///< by pair
};

/// The sums of m items.
std::vector<RankSums> rank_sums_of(device::Cpu& cpu, const PairRanks& x, const PairRanks& y, Index m);

/// The correlation of m = items.size() sampled items of n. The standard error is that of a U-statistic of order 2
/// (Hoeffding 1948): the spread of the items' mean influences, of which half is the pair's own product of ranks and
/// half its effect on the ranks of all other pairs. 0 if m = n. NaN if all of x or all of y are equal.
Score spearman_of(std::span<const RankSums> items, Index n);

}  // namespace dunlin::scores
