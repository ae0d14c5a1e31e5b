// SPDX-License-Identifier: Apache-2.0
#include "scores/spearman.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "math/at.hpp"
#include "scores/rank_sort.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

PairRanks::PairRanks(std::span<const double> values)
    : order_(values.size()), last_(values.size()), ranked_(values.size()) {
    const auto count = static_cast<Index>(values.size());
    RankSort sort;
    const auto sorted = sort.sort(count, -1, [&](Index i) -> double { return values[at(i)]; });
    for (Index first = 0; first < count;) {
        const auto [key, item] = sorted[at(first)];
        Index last = first + 1;
        while (last < count && sorted[at(last)].key == key && values[at(sorted[at(last)].item)] == values[at(item)])
            ++last;
        for (Index place = first; place < last; ++place) {
            const Index pair = sorted[at(place)].item;
            order_[at(place)] = pair;
            last_[at(place)] = last;
            ranked_[at(pair)] = {first + last - count, last - first};
        }
        first = last;
    }
}

/// All ranks add to 0: the sum over larger values is minus that over the others.
std::vector<std::int64_t> PairRanks::above(const PairRanks& other) const {
    std::vector<std::int64_t> above(order_.size());
    std::int64_t to_first = 0;
    for (std::size_t first = 0; first < order_.size();) {
        const std::size_t last = at(last_[first]);
        std::int64_t to_last = to_first;
        for (std::size_t place = first; place < last; ++place) to_last += other.ranked_[at(order_[place])].rank;
        for (std::size_t place = first; place < last; ++place) above[at(order_[place])] = -(to_first + to_last);
        to_first = to_last;
        first = last;
    }
    return above;
}

std::vector<RankSums> rank_sums_of(device::Cpu& cpu, const PairRanks& x, const PairRanks& y, Index m) {
    std::array<std::vector<std::int64_t>, 2> above;
    cpu.each(2, [&](Offset side) { above[at(side)] = side == 0 ? x.above(y) : y.above(x); }, 1);
    std::vector<std::vector<RankSums>> of_threads(at(cpu.threads()));
    cpu.blocks(m, 32, [&](Offset begin, Offset end, int worker) {
        std::vector<RankSums>& items = of_threads[at(worker)];
        items.resize(at(m));
        for (Offset i = begin; i < end; ++i) {
            const std::size_t row = at(number_of_pair(static_cast<Index>(i), 0));
            RankSums of_item;
            for (std::size_t j = 0; j < at(i); ++j) {
                const auto &a = x[row + j], &b = y[row + j];
                const RankSums of_pair{std::int64_t{a.rank} * b.rank, above[0][row + j] + above[1][row + j],
                                       std::int64_t{a.equals} * a.equals, std::int64_t{b.equals} * b.equals};
                of_item += of_pair;
                items[j] += of_pair;
            }
            items[at(i)] += of_item;
        }
    });
    std::vector<RankSums> all(at(m));
    for (const std::vector<RankSums>& items : of_threads) {
        for (std::size_t i = 0; i < items.size(); ++i) all[i] += items[i];
    }
    return all;
}

/// With ranks r = rank / (2 N) in (-1/2, 1/2), a further pair has three effects on the sums that the correlation
/// follows from: its own product and squares; a change of the ranks of all pairs of larger value, and half as much of
/// those of equal value, in the sum of products; and the same in the sums of squares, where it is a function of the
/// places alone: in all (1 - ties / N^2) / 8.
Score spearman_of(std::span<const RankSums> items, Index n) {
    const auto others = std::ssize(items) - 1, count = std::ssize(items) * others / 2;
    const std::int64_t all_tie = others * count * count;
    if (items.front().ties_x == all_tie || items.front().ties_y == all_tie)
        return {std::numeric_limits<double>::quiet_NaN(), 0};
    const auto pairs = static_cast<double>(count), square = pairs * pairs;
    double products = 0, ties_x = 0, ties_y = 0;  // each pair counts for two items
    for (const RankSums& item : items) {
        products += static_cast<double>(item.products) / 2;
        ties_x += static_cast<double>(item.ties_x) / 2;
        ties_y += static_cast<double>(item.ties_y) / 2;
    }
    const double of_x = (1 - ties_x / square / pairs) / 12, of_y = (1 - ties_y / square / pairs) / 12,  // mean r^2
        scale = 1 / std::sqrt(of_x * of_y), rho = products / (4 * square) / pairs * scale;
    if (std::ssize(items) == n) return {rho, 0};
    std::vector<double> influence;  // mean over an item's pairs, times 2
    influence.reserve(items.size());
    for (const RankSums& item : items) {
        const double through = static_cast<double>(item.products + item.above) / (4 * square) * scale;
        const auto change = [&](std::int64_t ties) {
            return (static_cast<double>(others) - static_cast<double>(ties) / square) / 8;
        };
        const double squares = rho / of_x * change(item.ties_x) + rho / of_y * change(item.ties_y);
        influence.push_back((through - squares) * 2 / static_cast<double>(others));
    }
    return {rho, mean_over(influence, n).se};
}

}  // namespace dunlin::scores
