// SPDX-License-Identifier: Apache-2.0
#include "placement/map_scale.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "neighbors/search_rows.hpp"
#include "placement/reference.hpp"
#include "scores/sample.hpp"

namespace dunlin::placement {

namespace {

constexpr Index most_rows = 1000;  ///< whose neighbors in the map are searched

double span_of(MatrixView<const float> map) {
    double span = 0;
    for (Index d = 0; d < map.cols; ++d) {
        float least = map(0, d), most = map(0, d);
        for (Index i = 1; i < map.rows; ++i) {
            least = std::min(least, map(i, d));
            most = std::max(most, map(i, d));
        }
        span = std::max(span, static_cast<double>(most) - static_cast<double>(least));
    }
    return span;
}

}  // namespace

double neighbor_distance_of(device::Cpu& cpu, MatrixView<const float> map) {
    if (map.rows < 2) return 1;
    const Index count = std::min(map.rows, most_rows);
    std::vector<Index> rows(at(count));
    for (Index r = 0; r < count; ++r) rows[at(r)] = static_cast<Index>(Offset{r} * map.rows / count);
    Graph nearest = neighbors::search_rows(cpu, map, rows, 1, neighbors::Metric::euclidean);
    const auto middle = nearest.weights.begin() + std::ssize(nearest.weights) / 2;
    std::nth_element(nearest.weights.begin(), middle, nearest.weights.end());
    const double span = span_of(map);
    return span > 0 ? std::max(static_cast<double>(*middle), 1e-6 * span) : 1;
}

std::vector<Kept> kept_at(device::Cpu& cpu, MatrixView<const float> map, MatrixView<const float> places,
                          const Graph& lists, std::span<const Index> rows) {
    const Graph near = neighbors::search_queries(cpu, map, places, most_kept, neighbors::Metric::euclidean).graph;
    std::vector<Kept> kept(rows.size());
    cpu.each(
        std::ssize(rows),
        [&](Offset s) {
            const auto in_map = targets_of(near, s), all = targets_of(lists, rows[at(s)]);
            const auto in_data = all.first(std::min(all.size(), in_map.size()));
            const auto both = std::count_if(in_data.begin(), in_data.end(), [&](Index j) {
                return std::find(in_map.begin(), in_map.end(), j) != in_map.end();
            });
            kept[at(s)] = {static_cast<Index>(both), static_cast<Index>(in_data.size())};
        },
        256);
    return kept;
}

void take_better(device::Cpu& cpu, MatrixView<const float> map, const Graph& lists, const Result& other,
                 Result& placed) {
    std::vector<Index> rows(at(placed.map.size()));
    std::iota(rows.begin(), rows.end(), 0);
    const std::vector<Kept> here = kept_at(cpu, map, placed.map.view(), lists, rows),
                            there = kept_at(cpu, map, other.map.view(), lists, rows);
    placed.by_own.assign(rows.size(), 0);
    for (std::size_t q = 0; q < rows.size(); ++q) {
        if (there[q].count <= here[q].count) continue;
        placed.by_own[q] = 1;
        placed.cost[q] = other.cost[q];
        placed.gap[q] = other.gap[q];
        const auto dim = at(map.cols);
        std::copy_n(other.map.coordinates.begin() + static_cast<Offset>(q * dim), dim,
                    placed.map.coordinates.begin() + static_cast<Offset>(q * dim));
    }
}

scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed) {
    const Index m = placed.size();
    if (m == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const std::vector<Index> judged = scores::sample_rows(m, std::min(m, most_rows), seed);
    std::vector<float> places;
    for (const Index q : judged) {
        const auto row = placed.view().row(q);
        places.insert(places.end(), row.begin(), row.end());
    }
    const MatrixView<const float> rows{places.data(), static_cast<Index>(judged.size()), map.cols};
    std::vector<double> shares;
    for (const Kept& kept : kept_at(cpu, map, rows, lists, judged))
        shares.push_back(static_cast<double>(kept.count) / static_cast<double>(kept.of));
    return scores::mean_over(shares, m);
}

}  // namespace dunlin::placement
