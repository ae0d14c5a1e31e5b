// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <dunlin/scores.hpp>

#include "cases/graphs.hpp"
#include "math/rng.hpp"

/// Graphs and drawings for the tests of scores.
namespace dunlin::scores {

using made::complete;
using made::Edge;
using made::graph_of;
using made::path;

inline Graph random_graph(Index n, std::uint64_t edges, std::uint64_t seed) {
    std::vector<Edge> list;
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
    TestDrawing drawing{made::lattice(side, side), {}};
    for (Index v = 0; v < side * side; ++v) {
        for (const Index place : {v % side, v / side}) {
            const auto item = static_cast<std::uint64_t>(drawing.map.coordinates.size());
            drawing.map.coordinates.push_back(static_cast<float>(place + moved * math::random_normal(seed, item)));
        }
    }
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
    std::vector<Edge> edges;
    for (Index v = 1; v < 600; ++v) edges.push_back({v - 1, v});
    for (Index v = 600; v < hub; ++v) edges.push_back({v, hub});
    return graph_of(hub + 1, edges);
}

}  // namespace dunlin::scores
