// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/scores.hpp>

#include "math/rng.hpp"
#include "score_graphs.hpp"
#include "scores/segments.hpp"

namespace dunlin::scores {
namespace {

TEST(Crossing, OfSegmentsIsDecidedExactly) {
    const Segment s{{0, 0}, {4, 4}};
    EXPECT_TRUE(intersect(s, {{0, 4}, {4, 0}}));
    EXPECT_TRUE(intersect(s, {{2, 2}, {5, 0}}));
    EXPECT_TRUE(intersect(s, {{3, 3}, {9, 9}}));
    EXPECT_FALSE(intersect(s, {{5, 5}, {9, 9}}));
    EXPECT_FALSE(intersect(s, {{0, 1}, {3, 4}}));
    EXPECT_FALSE(intersect(s, {{3, 2}, {5, 0}}));
    // Points next to a long line, by one unit in the last place
    const double third = static_cast<double>(1.0F / 3), above = static_cast<double>(std::nextafter(1.0F / 3, 1.0F));
    const Segment line{{0, 0}, {3 * 16777216.0, third * 3 * 16777216.0}};
    EXPECT_EQ(side_of(line.a, line.b, {1, third}), 0);
    EXPECT_EQ(side_of(line.a, line.b, {1, above}), 1);
    EXPECT_EQ(compare_products(1 + 0x1p-40, 1 + 0x1p-40, 1 + 0x1p-39, 1), 1);
}

TEST(Crossings, OfCompleteGraphsOnACircleAreChooseFour) {
    EXPECT_EQ(crossings(complete(4), circle(4)).value, 1);
    EXPECT_EQ(crossings(complete(5), circle(5)).value, 5);
    EXPECT_EQ(crossings(complete(9), circle(9)).value, 126);
    EXPECT_EQ(crossings(complete(31), circle(31)).value, 31465);
}

/// Counts pair by pair in integer arithmetic.
double crossings_slowly(const Graph& graph, const Map& map) {
    struct EndPair {
        Index a, b;
    };
    std::vector<EndPair> edges;
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(v)]; e < graph.offsets[static_cast<std::size_t>(v) + 1];
             ++e) {
            if (graph.targets[static_cast<std::size_t>(e)] > v)
                edges.push_back({v, graph.targets[static_cast<std::size_t>(e)]});
        }
    }
    const auto x = [&](Index v) { return static_cast<std::int64_t>(map.view()(v, 0)); };
    const auto y = [&](Index v) { return static_cast<std::int64_t>(map.view()(v, 1)); };
    const auto side = [&](Index a, Index b, Index c) {
        const std::int64_t turn = (x(b) - x(a)) * (y(c) - y(a)) - (y(b) - y(a)) * (x(c) - x(a));
        return (turn > 0) - (turn < 0);
    };
    const auto apart = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
        return std::max(a, b) < std::min(c, d) || std::max(c, d) < std::min(a, b);
    };
    double count = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto [a, b] = edges[i];
            const auto [c, d] = edges[j];
            if (a == c || a == d || b == c || b == d || apart(x(a), x(b), x(c), x(d)) || apart(y(a), y(b), y(c), y(d)))
                continue;
            if (side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0) ++count;
        }
    }
    return count;
}

TEST(Crossings, AreThoseFoundPairByPair) {
    for (const std::uint64_t side : {3U, 10U, 100U, 1000000U}) {  // on small lattices most touch or overlap
        for (const Index n : {20, 1000}) {
            const Graph graph = random_graph(n, 1200, side);
            const Map map = on_lattice(n, side, side + 1);
            EXPECT_EQ(crossings(graph, map).value, crossings_slowly(graph, map)) << side << ' ' << n;
        }
    }
}

TEST(Crossings, OfLongParallelsAndStarsTakeNoTime) {
    std::vector<Edge> ladder, star;
    Map rungs;
    for (Index i = 0; i < 20000; ++i) {
        ladder.push_back({2 * i, 2 * i + 1});
        rungs.coordinates.insert(rungs.coordinates.end(),
                                 {0.0F, static_cast<float>(i), 20000.0F, static_cast<float>(i)});
    }
    EXPECT_EQ(crossings(graph_of(40000, ladder), rungs).value, 0);
    for (Index i = 1; i < 40000; ++i) star.push_back({0, i});
    EXPECT_EQ(crossings(graph_of(40000, star), rungs).value, 0);
}

TEST(Crossings, OfSampledEdgesAreNearTheWhole) {
    constexpr Index side = 160;  // a lattice whose vertices are joined to some not far away
    std::vector<Edge> edges;
    for (std::uint64_t e = 0; e < 60000; ++e) {
        const auto from = static_cast<Index>(math::random_below(Offset{side} * side, 8, e, 0));
        const auto to = from + side * static_cast<Index>(math::random_below(4, 8, e, 1)) +
                        static_cast<Index>(math::random_below(4, 8, e, 2));
        if (to < side * side && to % side >= from % side) edges.push_back({from, to});
    }
    const Graph graph = graph_of(side * side, edges);
    Map map;
    for (Index v = 0; v < side * side; ++v) {
        for (const Index place : {v % side, v / side}) {
            const double x = place + math::random_uniform(9, static_cast<std::uint64_t>(map.coordinates.size()));
            map.coordinates.push_back(static_cast<float>(x * x));  // denser towards a corner
        }
    }
    const Score exact = crossings(graph, map, {.extent = Extent::full}),
                sampled = crossings(graph, map, {.exact_edges = 0});
    EXPECT_EQ(exact.se, 0);
    EXPECT_GT(exact.value, 10000);
    EXPECT_GT(sampled.se, 0);
    EXPECT_LT(sampled.se, 0.02 * exact.value);
    EXPECT_NEAR(sampled.value, exact.value, 4 * sampled.se);
}

/// Short edges, hence small boxes, and a distant vertex; integer coordinates.
TEST(Crossings, OfShortEdgesAreThoseFoundPairByPair) {
    auto [graph, map] = lattice(50, 0.4, 6);
    for (float& x : map.coordinates) x = std::round(8 * x);
    EXPECT_EQ(crossings(graph, map, {.extent = Extent::full}).value, crossings_slowly(graph, map));
    map.coordinates[0] = map.coordinates[1] = -100000;
    EXPECT_EQ(crossings(graph, map, {.extent = Extent::full}).value, crossings_slowly(graph, map));
}

TEST(Crossings, HaveAnHonestStandardErrorWhereManyEdgesCross) {
    constexpr Index n = 500;
    const Graph graph = random_graph(n, 5000, 5);
    const Map map = on_lattice(n, 1000, 6);
    const double truth = crossings(graph, map, {.extent = Extent::full}).value;
    EXPECT_EQ(crossings(graph, map, {.exact_edges = 100000}).value, truth);
    int covered_by = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Score some = crossings(graph, map, {}, {.threads = 1, .seed = seed});
        EXPECT_GT(some.se, 0);
        EXPECT_LT(some.se, 0.05 * truth);
        covered_by += std::abs(some.value - truth) <= 2 * some.se ? 1 : 0;
    }
    EXPECT_GE(covered_by, 34);
}

/// The root mean square error equals the standard error, also if all pairs are tested.
TEST(Crossings, HaveAStandardErrorOfTheSizeOfTheirErrors) {
    const Graph graph = random_graph(500, 8000, 5);
    const Map map = on_lattice(500, 1000, 6);
    const double truth = crossings(graph, map, {.extent = Extent::full}).value;
    double squares = 0, variances = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Score some = crossings(graph, map, {}, {.seed = seed});
        squares += (some.value - truth) * (some.value - truth);
        variances += some.se * some.se;
    }
    EXPECT_NEAR(std::sqrt(squares / variances), 1, 0.2);
}

TEST(Crossings, AreAllCountedWhereTheyAreFew) {
    const TestDrawing grid = lattice(70, 0.3, 3);  // 9,660 edges, more than are sampled
    const Score all = crossings(grid.graph, grid.map);
    EXPECT_EQ(all.se, 0);
    EXPECT_GT(all.value, 0);
    EXPECT_EQ(all.value, crossings(grid.graph, grid.map, {.extent = Extent::full}).value);
    EXPECT_EQ(crossings(lattice(70, 0, 3).graph, lattice(70, 0, 3).map).value, 0);
}

}  // namespace
}  // namespace dunlin::scores
