// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <dunlin/communities.hpp>
#include <dunlin/components.hpp>

#include "cases/graphs.hpp"

/// Graphs with communities, and the definitions of their quality, in double over all pairs.
namespace dunlin::made {

/// Zachary's karate club (1977): 34 vertices, 78 edges. Its best modularity is .419790 (Brandes et al. 2008).
inline Graph karate() {
    const std::vector<std::vector<Index>> rows{{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31},
                                               {2, 3, 7, 13, 17, 19, 21, 30},
                                               {3, 7, 8, 9, 13, 27, 28, 32},
                                               {7, 12, 13},
                                               {6, 10},
                                               {6, 10, 16},
                                               {16},
                                               {},
                                               {30, 32, 33},
                                               {33},
                                               {},
                                               {},
                                               {},
                                               {33},
                                               {32, 33},
                                               {32, 33},
                                               {},
                                               {},
                                               {32, 33},
                                               {33},
                                               {32, 33},
                                               {},
                                               {32, 33},
                                               {25, 27, 29, 32, 33},
                                               {25, 27, 31},
                                               {31},
                                               {29, 33},
                                               {33},
                                               {31, 33},
                                               {32, 33},
                                               {32, 33},
                                               {32, 33},
                                               {33},
                                               {}};
    std::vector<Edge> edges;
    for (std::size_t v = 0; v < rows.size(); ++v) {
        for (const Index other : rows[v]) edges.push_back({static_cast<Index>(v), other});
    }
    return graph_of(34, edges);
}

/// n vertices in groups of `size`; each draws `inside` edges in its group and `outside` ones to anywhere, of weights 1
/// to
/// 3. Vertices of a group are `n / size` apart.
inline Graph planted(Index n, Index size, Index inside, Index outside, std::uint64_t seed) {
    const auto draw = [&](Index bound, Index v, Index e) {
        return static_cast<Index>(math::random_below(static_cast<std::uint64_t>(bound), seed,
                                                     static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(e)));
    };
    const Index groups = n / size;
    std::vector<Edge> edges;
    for (Index v = 0; v < n; ++v) {
        for (Index e = 0; e < inside + outside; ++e) {
            const Index other = e < inside ? draw(size, v, e) * groups + v % groups : draw(n, v, e);
            if (other != v && other < n) edges.push_back({v, other, static_cast<float>(1 + e % 3)});
        }
    }
    return graph_of(n, edges);
}

/// The graph as a square of weights, both directions, a loop twice.
inline std::vector<std::vector<double>> square_of(const Graph& graph) {
    const auto n = static_cast<std::size_t>(graph.size());
    std::vector<std::vector<double>> weights(n, std::vector<double>(n));
    for (std::size_t v = 0; v < n; ++v) {
        for (auto e = static_cast<std::size_t>(graph.offsets[v]); e < static_cast<std::size_t>(graph.offsets[v + 1]);
             ++e) {
            const auto other = static_cast<std::size_t>(graph.targets[e]);
            weights[v][other] += (v == other ? 2 : 1) * static_cast<double>(graph.weights[e]);
        }
    }
    return weights;
}

/// The definition in <dunlin/communities.hpp>.
inline double quality_of(const std::vector<std::vector<double>>& weights, const std::vector<Index>& labels,
                         double resolution = 1, communities::Quality quality = communities::Quality::modularity) {
    std::vector<double> degrees;
    for (const auto& row : weights) degrees.push_back(std::accumulate(row.begin(), row.end(), 0.0));
    const double total = std::accumulate(degrees.begin(), degrees.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (std::size_t j = 0; j < labels.size(); ++j) {
            if (labels[i] != labels[j]) continue;
            const double expected = quality == communities::Quality::modularity ? degrees[i] * degrees[j] / total : 1;
            sum += weights[i][j] - resolution * expected;
        }
    }
    return sum / total;
}

/// The number of communities that are not connected.
inline Index disconnected(const Graph& graph, const std::vector<Index>& labels) {
    std::vector<Edge> edges;
    for (Index v = 0; v < graph.size(); ++v) {
        const auto at = static_cast<std::size_t>(v);
        for (auto e = static_cast<std::size_t>(graph.offsets[at]); e < static_cast<std::size_t>(graph.offsets[at + 1]);
             ++e) {
            const Index other = graph.targets[e];
            if (v != other && labels[at] == labels[static_cast<std::size_t>(other)]) edges.push_back({v, other});
        }
    }
    const Index count = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
    return dunlin::graph::components(graph_of(graph.size(), edges)).count() - count;
}

}  // namespace dunlin::made
