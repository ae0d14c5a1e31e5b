// SPDX-License-Identifier: Apache-2.0
#include "scores/spearman.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "math/at.hpp"
#include "scores/rank_sort.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

namespace {

/// Values as mid-ranks over their number, minus their mean: in (-1/2, 1/2).
class CenteredRanks {
public:
    explicit CenteredRanks(std::span<const double> values)
        : rank(values.size()),
          sorted_(sort_.sort(static_cast<Index>(values.size()), -1, [&](Index i) -> double { return values[at(i)]; })) {
        for (std::size_t begin = 0; begin < sorted_.size();) {
            const double value = values[at(sorted_[begin].item)];
            std::size_t end = begin + 1;
            while (end < sorted_.size() && sorted_[end].key == sorted_[begin].key && values[item(end)] == value) ++end;
            for (std::size_t place = begin; place < end; ++place) rank[item(place)] = mid_rank(begin, end);
            begin = end;
        }
    }

    /// Influence function of the correlation at each pair: the part of this side's ranks. A further pair raises the
    /// ranks of all pairs of larger value, and half as much those of equal value; this adds to the sum of rank x weight
    /// (times `scale`) and to the sum of squared ranks (times `share`, subtracted), as does its own squared rank.
    [[nodiscard]] std::vector<double> influence(const std::vector<double>& weight, double scale, double share) const {
        std::vector<double> influence(sorted_.size());
        const auto size = static_cast<double>(sorted_.size());
        double larger = 0, larger_ranks = 0;
        for (std::size_t end = sorted_.size(); end > 0;) {
            std::size_t begin = end - 1;
            while (begin > 0 && sorted_[begin - 1].key == sorted_[begin].key &&
                   rank[item(begin - 1)] == rank[item(begin)])
                --begin;
            double equal = 0;
            for (std::size_t place = begin; place < end; ++place) equal += weight[item(place)];
            const double own = mid_rank(begin, end), equal_ranks = own * static_cast<double>(end - begin);
            const double of_pair =
                scale * (larger + equal / 2) / size - share * ((larger_ranks + equal_ranks / 2) / size + own * own / 2);
            for (std::size_t place = begin; place < end; ++place) influence[item(place)] = of_pair;
            larger += equal;
            larger_ranks += equal_ranks;
            end = begin;
        }
        return influence;
    }

    std::vector<double> rank;

private:
    [[nodiscard]] std::size_t item(std::size_t place) const { return at(sorted_[place].item); }
    /// Of the places [begin, end), which have one value.
    [[nodiscard]] double mid_rank(std::size_t begin, std::size_t end) const {
        return static_cast<double>(begin + end) / 2 / static_cast<double>(sorted_.size()) - 0.5;
    }

    RankSort sort_;
    std::span<const device::Keyed> sorted_;  ///< the pairs by value
};

double mean_product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum / static_cast<double>(a.size());
}

}  // namespace

Score spearman_of_pairs(device::Cpu& cpu, std::span<const double> x, std::span<const double> y, Index m, Index n) {
    std::optional<CenteredRanks> of_x, of_y;
    cpu.each(2, [&](Offset side) { side == 0 ? of_x.emplace(x) : of_y.emplace(y); }, 1);
    const CenteredRanks &a = *of_x, &b = *of_y;
    const double aa = mean_product(a.rank, a.rank), bb = mean_product(b.rank, b.rank);
    if (aa == 0 || bb == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const double scale = 1 / std::sqrt(aa * bb), rho = mean_product(a.rank, b.rank) * scale;
    if (m == n) return {rho, 0};
    std::array<std::vector<double>, 2> through;
    cpu.each(
        2,
        [&](Offset side) {
            through[at(side)] = side == 0 ? a.influence(b.rank, scale, rho / aa) : b.influence(a.rank, scale, rho / bb);
        },
        1);
    std::vector<double> influence(at(m), 0.0);  // mean over an item's pairs, times 2
    std::size_t pair = 0;
    for (std::size_t i = 0; i < influence.size(); ++i) {
        double of_item = 0;
        for (std::size_t j = 0; j < i; ++j, ++pair) {
            const double of_pair = a.rank[pair] * b.rank[pair] * scale + through[0][pair] + through[1][pair];
            of_item += of_pair;
            influence[j] += of_pair;
        }
        influence[i] += of_item;
    }
    for (double& of : influence) of *= 2.0 / (m - 1);
    return {rho, mean_over(influence, n).se};
}

}  // namespace dunlin::scores
