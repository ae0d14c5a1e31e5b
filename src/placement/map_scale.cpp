// SPDX-License-Identifier: Apache-2.0
#include "placement/map_scale.hpp"

#include <algorithm>
#include <limits>
#include <vector>

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

scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed) {
    constexpr Index nearest = 15;
    const Index m = placed.size();
    if (m == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const std::vector<Index> judged = scores::sample_rows(m, std::min(m, most_rows), seed);
    std::vector<float> places;
    for (const Index q : judged) {
        const auto row = placed.view().row(q);
        places.insert(places.end(), row.begin(), row.end());
    }
    const MatrixView<const float> rows{places.data(), static_cast<Index>(judged.size()), map.cols};
    const Graph near = neighbors::search_queries(cpu, map, rows, nearest, neighbors::Metric::euclidean).graph;
    std::vector<double> kept;
    for (std::size_t s = 0; s < judged.size(); ++s) {
        const auto in_map = targets_of(near, static_cast<Offset>(s)), all = targets_of(lists, judged[s]);
        const auto in_data = all.first(std::min(all.size(), in_map.size()));
        const auto both = std::count_if(in_data.begin(), in_data.end(), [&](Index j) {
            return std::find(in_map.begin(), in_map.end(), j) != in_map.end();
        });
        kept.push_back(static_cast<double>(both) / static_cast<double>(in_data.size()));
    }
    return scores::mean_over(kept, m);
}

}  // namespace dunlin::placement
