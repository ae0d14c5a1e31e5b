// SPDX-License-Identifier: Apache-2.0
#include "scores/sampled_pairs.hpp"

#include <cstdlib>

#include "math/at.hpp"
#include "scores/map_distance.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

namespace {

/// value(i, j) of the pairs (i, j < i) of m items, row by row.
template <class Value>
std::vector<double> values_of_pairs(device::Cpu& cpu, std::size_t m, const Value& value) {
    std::vector<double> values(m * (m - 1) / 2);
    cpu.each(
        static_cast<Offset>(m),
        [&](Offset row) {
            const std::size_t i = at(row);
            for (std::size_t j = 0; j < i; ++j) values[i * (i - 1) / 2 + j] = value(i, j);
        },
        32);
    return values;
}

/// Integers in the order of the values, of which twice as many are compared at once.
std::vector<Index> ranks_of(std::span<const double> values) {
    const PairRanks ranks(values);
    std::vector<Index> all(values.size());
    for (std::size_t pair = 0; pair < all.size(); ++pair) all[pair] = ranks[pair].rank;
    return all;
}

/// Compares pair p with all other pairs: returns twice the number of those that x and y order alike. A tie in one of
/// the two counts half, so that the order of the items does not matter.
Index count_alike(std::span<const Index> x, std::span<const Index> y, std::size_t p) {
    const auto sign = [p](std::span<const Index> ranks, std::size_t q) {
        return (ranks[p] > ranks[q] ? 1 : 0) - (ranks[p] < ranks[q] ? 1 : 0);
    };
    Index alike = 0;
    for (std::size_t q = 0; q < x.size(); ++q) alike += 2 - std::abs(sign(x, q) - sign(y, q));
    return alike - 2;  // with itself
}

}  // namespace

Score order_of_pairs(device::Cpu& cpu, std::span<const double> x, std::span<const double> y, Index m, Index n) {
    const auto pairs = std::ssize(x);
    const std::vector<Index> of_x = ranks_of(x), of_y = ranks_of(y);
    std::vector<Offset> alike(at(pairs));
    cpu.each(pairs, [&](Offset p) { alike[at(p)] = count_alike(of_x, of_y, at(p)); }, 64);
    Offset all = 0;
    std::vector<double> of_item(at(m), 0.0);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < of_item.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j, ++pair) {
            all += alike[pair];
            of_item[i] += static_cast<double>(alike[pair]);
            of_item[j] += static_cast<double>(alike[pair]);
        }
    }
    const double share = static_cast<double>(all) / static_cast<double>(2 * pairs * (pairs - 1));
    if (m == n) return {share, 0};
    // A pair of an item meets all others, whose share varies with their own items too; the factor is that of the order
    for (double& of : of_item) of = 2 * of / static_cast<double>((m - 1) * (pairs - 1));
    return {share, mean_over(of_item, n).se};
}

std::vector<double> pairs_of_table(device::Cpu& cpu, std::span<const float> table, std::size_t rows) {
    return values_of_pairs(cpu, rows, [&](std::size_t i, std::size_t j) -> double { return table[i * rows + j]; });
}

std::vector<double> pairs_in_map(device::Cpu& cpu, const Map& map, std::span<const Index> rows) {
    return values_of_pairs(cpu, rows.size(),
                           [&](std::size_t i, std::size_t j) { return squared_distance(map, rows[i], rows[j]); });
}

SampledPairs::SampledPairs(ScoreEngine& engine, Index n, Index most, std::uint64_t seed)
    : engine_(engine), n_(n), rows_(rows_to_evaluate(n, most, most, seed)) {}

std::vector<Score> SampledPairs::correlations(std::span<const Map> maps) const {
    std::vector<Score> scores;
    for (const std::vector<RankSums>& items : engine_.rank_sums(maps, rows_)) scores.push_back(spearman_of(items, n_));
    return scores;
}

Score SampledPairs::order(const Map& map) const {
    const std::vector<double> in_data = pairs_of_table(engine_.cpu(), engine_.between(rows_), rows_.size()),
                              in_map = pairs_in_map(engine_.cpu(), map, rows_);
    return order_of_pairs(engine_.cpu(), in_data, in_map, static_cast<Index>(rows_.size()), n_);
}

}  // namespace dunlin::scores
