// SPDX-License-Identifier: Apache-2.0
#include "scores/spearman.hpp"

#include <cmath>
#include <limits>

#include "math/at.hpp"
#include "scores/map_distance.hpp"
#include "scores/pair_distances.hpp"
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

/// Squared distances of the pairs (i, j < i) of some points of a map.
std::vector<double> pairs_in(const Map& map, std::span<const Index> rows) {
    std::vector<double> squared;
    squared.reserve(rows.size() * (rows.size() - 1) / 2);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) squared.push_back(squared_distance(map, rows[i], rows[j]));
    }
    return squared;
}

}  // namespace

Score spearman_of_pairs(std::span<const double> x, std::span<const double> y, Index m, Index n) {
    const CenteredRanks a(x), b(y);
    const double aa = mean_product(a.rank, a.rank), bb = mean_product(b.rank, b.rank);
    if (aa == 0 || bb == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const double scale = 1 / std::sqrt(aa * bb), rho = mean_product(a.rank, b.rank) * scale;
    if (m == n) return {rho, 0};
    const std::vector<double> by_x = a.above(b.rank), by_y = b.above(a.rank), own_x = a.above(a.rank),
                              own_y = b.above(b.rank);
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

DistanceCorrelation::DistanceCorrelation(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                                         Index most, std::uint64_t seed)
    : n_(points.rows), rows_(rows_to_evaluate(points.rows, most, most, seed)) {
    std::vector<float> values;
    values.reserve(rows_.size() * at(points.cols));
    for (const Index row : rows_) {
        const auto own = points.row(row);
        values.insert(values.end(), own.begin(), own.end());
    }
    const auto m = static_cast<Index>(rows_.size());
    std::vector<Index> all(rows_.size());
    for (Index i = 0; i < m; ++i) all[at(i)] = i;
    data_.resize(rows_.size() * (rows_.size() - 1) / 2);
    PairDistances distances(cpu, {values.data(), m, points.cols}, metric);
    distances.visit_all(all, [&](std::size_t i, Index begin, std::span<const float> distance) {
        for (std::size_t l = 0; l < distance.size() && at(begin) + l < i; ++l)
            data_[i * (i - 1) / 2 + at(begin) + l] = static_cast<double>(distance[l]);
    });
}

Score DistanceCorrelation::of(const Map& map) const {
    return spearman_of_pairs(data_, pairs_in(map, rows_), static_cast<Index>(rows_.size()), n_);
}

}  // namespace dunlin::scores
