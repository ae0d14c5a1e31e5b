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

/// Values as mid-ranks over their number, minus their mean: in (-1/2, 1/2). `order` has the pairs by value, `runs` the
/// first places of equal values.
class CenteredRanks {
public:
    explicit CenteredRanks(std::span<const double> values) : rank(values.size()) {
        RankSort sort;
        const auto count = static_cast<Index>(values.size());
        for (const device::Keyed& item : sort.sort(count, -1, [&](Index i) -> double { return values[at(i)]; }))
            order_.push_back(item.item);
        for (std::size_t place = 0; place < order_.size(); ++place) {
            if (place == 0 || values[at(order_[place])] != values[at(order_[place - 1])]) runs_.push_back(place);
        }
        runs_.push_back(order_.size());
        const auto size = static_cast<double>(order_.size());
        for (std::size_t run = 0; run + 1 < runs_.size(); ++run) {
            const double middle = static_cast<double>(runs_[run] + runs_[run + 1]) / 2;
            for (std::size_t place = runs_[run]; place < runs_[run + 1]; ++place)
                rank[at(order_[place])] = middle / size - 0.5;
        }
    }

    /// For each pair the mean over all pairs of `weight` where the other's value is larger, and half where it is equal:
    /// what one more pair adds to the sum of rank x weight through the ranks of others.
    [[nodiscard]] std::vector<double> above(const std::vector<double>& weight) const {
        std::vector<double> sums(order_.size());
        double larger = 0;
        for (std::size_t run = runs_.size() - 1; run-- > 0;) {
            double equal = 0;
            for (std::size_t place = runs_[run]; place < runs_[run + 1]; ++place) equal += weight[at(order_[place])];
            for (std::size_t place = runs_[run]; place < runs_[run + 1]; ++place)
                sums[at(order_[place])] = (larger + equal / 2) / static_cast<double>(order_.size());
            larger += equal;
        }
        return sums;
    }

    std::vector<double> rank;

private:
    std::vector<Index> order_;
    std::vector<std::size_t> runs_;
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
    std::array<std::vector<double>, 4> above;
    cpu.each(std::ssize(above), [&](Offset i) { above[at(i)] = (i < 2 ? a : b).above((i % 2 == 0 ? b : a).rank); }, 1);
    const auto& [by_x, own_x, own_y, by_y] = above;
    std::vector<double> influence(at(m), 0.0);  // mean over an item's pairs, times 2
    std::size_t pair = 0;
    for (std::size_t i = 0; i < influence.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j, ++pair) {
            const double u = a.rank[pair], v = b.rank[pair];
            const double of_pair = (u * v + by_x[pair] + by_y[pair]) * scale -
                                   rho / 2 * ((u * u + 2 * own_x[pair]) / aa + (v * v + 2 * own_y[pair]) / bb);
            influence[i] += of_pair * 2 / (m - 1);
            influence[j] += of_pair * 2 / (m - 1);
        }
    }
    return {rho, mean_over(influence, n).se};
}

}  // namespace dunlin::scores
