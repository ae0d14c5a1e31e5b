// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <dunlin/scores.hpp>

#include "math/rng.hpp"

/// Graphs and drawings for the tests of scores.
namespace dunlin::scores {

struct TestEdge {
    Index from, to;
    float weight = 1;
};

/// An undirected simple graph: every edge in both directions, targets ascending, without duplicates and loops.
inline Graph graph_of(Index n, const std::vector<TestEdge>& edges) {
    std::vector<std::vector<std::pair<Index, float>>> rows(static_cast<std::size_t>(n));
    for (const TestEdge& e : edges) {
        if (e.from == e.to) continue;
        rows[static_cast<std::size_t>(e.from)].emplace_back(e.to, e.weight);
        rows[static_cast<std::size_t>(e.to)].emplace_back(e.from, e.weight);
    }
    Graph graph;
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        row.erase(std::unique(row.begin(), row.end(), same), row.end());
        for (const auto& [target, weight] : row) {
            graph.targets.push_back(target);
            graph.weights.push_back(weight);
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

inline Graph complete(Index n) {
    std::vector<TestEdge> edges;
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < a; ++b) edges.push_back({a, b});
    }
    return graph_of(n, edges);
}

inline Graph path(Index n) {
    std::vector<TestEdge> edges;
    for (Index a = 1; a < n; ++a) edges.push_back({a - 1, a});
    return graph_of(n, edges);
}

inline Graph random_graph(Index n, std::uint64_t edges, std::uint64_t seed) {
    std::vector<TestEdge> list;
    for (std::uint64_t e = 0; e < edges; ++e) {
        const auto bound = static_cast<std::uint64_t>(n);
        list.push_back({static_cast<Index>(math::random_below(bound, seed, e, 0)),
                        static_cast<Index>(math::random_below(bound, seed, e, 1)),
                        static_cast<float>(0.5 + math::random_uniform(seed, e, 2))});
    }
    return graph_of(n, list);
}

inline Map circle(Index n) {
    Map map;
    for (Index v = 0; v < n; ++v) {
        const double turn = 2 * std::numbers::pi * v / n;
        map.coordinates.push_back(static_cast<float>(std::cos(turn)));
        map.coordinates.push_back(static_cast<float>(std::sin(turn)));
    }
    return map;
}

inline Map on_line(const std::vector<float>& x) {
    Map map;
    for (const float v : x) map.coordinates.insert(map.coordinates.end(), {v, 0.0F});
    return map;
}

/// Random integer coordinates below `side`.
inline Map on_lattice(Index n, std::uint64_t side, std::uint64_t seed) {
    Map map;
    for (std::uint64_t i = 0; i < 2 * static_cast<std::uint64_t>(n); ++i)
        map.coordinates.push_back(static_cast<float>(math::random_below(side, seed, i)));
    return map;
}

/// A drawing of a lattice with random displacements, so that some edges cross.
struct TestDrawing {
    Graph graph;
    Map map;
};

inline TestDrawing lattice(Index side, double moved, std::uint64_t seed) {
    std::vector<TestEdge> edges;
    TestDrawing drawing;
    for (Index v = 0; v < side * side; ++v) {
        if (v % side > 0) edges.push_back({v - 1, v});
        if (v >= side) edges.push_back({v - side, v});
        for (const Index place : {v % side, v / side}) {
            const auto item = static_cast<std::uint64_t>(drawing.map.coordinates.size());
            drawing.map.coordinates.push_back(static_cast<float>(place + moved * math::random_normal(seed, item)));
        }
    }
    drawing.graph = graph_of(side * side, edges);
    return drawing;
}

/// Number of 200 seeds for which the true value is within two standard errors.
template <class ScoreOf>
int covered(double truth, const ScoreOf& score_of) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Score score = score_of({.threads = 1, .seed = seed});
        count += score.se > 0 && std::abs(score.value - truth) <= 2 * score.se ? 1 : 0;
    }
    return count;
}

/// A star of 9,000 vertices, hub last, beside a path of 600.
inline Graph star_and_path() {
    constexpr Index hub = 9599;
    std::vector<TestEdge> edges;
    for (Index v = 1; v < 600; ++v) edges.push_back({v - 1, v});
    for (Index v = 600; v < hub; ++v) edges.push_back({v, hub});
    return graph_of(hub + 1, edges);
}

}  // namespace dunlin::scores
