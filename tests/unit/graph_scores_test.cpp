// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "graph/paths.hpp"
#include "math/rng.hpp"
#include "scores/segments.hpp"

namespace dunlin::scores {
namespace {

struct Edge {
    Index from, to;
    float weight = 1;
};

/// Undirected and simple: each edge in both directions, targets ascending, doubles and loops left out.
Graph graph_of(Index n, const std::vector<Edge>& edges) {
    std::vector<std::vector<std::pair<Index, float>>> rows(static_cast<std::size_t>(n));
    for (const Edge& e : edges) {
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

Graph complete(Index n) {
    std::vector<Edge> edges;
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < a; ++b) edges.push_back({a, b});
    }
    return graph_of(n, edges);
}

Graph path(Index n) {
    std::vector<Edge> edges;
    for (Index a = 1; a < n; ++a) edges.push_back({a - 1, a});
    return graph_of(n, edges);
}

Graph random_graph(Index n, std::uint64_t edges, std::uint64_t seed) {
    std::vector<Edge> list;
    for (std::uint64_t e = 0; e < edges; ++e) {
        const auto bound = static_cast<std::uint64_t>(n);
        list.push_back({static_cast<Index>(math::random_below(bound, seed, e, 0)),
                        static_cast<Index>(math::random_below(bound, seed, e, 1)),
                        static_cast<float>(0.5 + math::random_uniform(seed, e, 2))});
    }
    return graph_of(n, list);
}

Map circle(Index n) {
    Map map;
    for (Index v = 0; v < n; ++v) {
        const double turn = 2 * std::numbers::pi * v / n;
        map.coordinates.push_back(static_cast<float>(std::cos(turn)));
        map.coordinates.push_back(static_cast<float>(std::sin(turn)));
    }
    return map;
}

Map on_line(const std::vector<float>& x) {
    Map map;
    for (const float v : x) map.coordinates.insert(map.coordinates.end(), {v, 0.0F});
    return map;
}

/// Whole numbers below `side`.
Map on_lattice(Index n, std::uint64_t side, std::uint64_t seed) {
    Map map;
    for (std::uint64_t i = 0; i < 2 * static_cast<std::uint64_t>(n); ++i)
        map.coordinates.push_back(static_cast<float>(math::random_below(side, seed, i)));
    return map;
}

TEST(ScaledStress, IsWhatOneWorksOutByHand) {
    EXPECT_NEAR(scaled_stress(path(3), on_line({0, 7, 14})).value, 0, 1e-12);
    // Ratios 1, 1 and sqrt(2) / 2: 1 - (2 + sqrt(1/2))^2 / (3 * 2.5)
    const Score bent = scaled_stress(path(3), {2, {0, 0, 1, 0, 1, 1}});
    EXPECT_NEAR(bent.value, 1 - std::pow(2 + std::sqrt(0.5), 2) / 7.5, 1e-12);
    EXPECT_EQ(bent.se, 0);
    EXPECT_EQ(scaled_stress(path(3), on_line({2, 2, 2})).value, 1);
    EXPECT_NEAR(scaled_stress(complete(3), {3, {0, 0, 1, 1, 0, 0, 0, 1, 0}}).value, 0, 1e-12);
}

TEST(ScaledStress, LeavesOutPairsWithoutPath) {
    const Graph pairs = graph_of(5, {{0, 1}, {2, 3}});
    EXPECT_NEAR(scaled_stress(pairs, on_line({0, 1, 50, 51, 9})).value, 0, 1e-12);
}

TEST(ScaledStress, TakesWeightsForLengthsWhereAsked) {
    const Graph graph = graph_of(4, {{0, 1, 2}, {1, 2, 1}, {2, 3, 4}, {0, 3, 9}});  // the last is no shortest path
    const Map map = on_line({0, 2, 3, 7});
    EXPECT_NEAR(scaled_stress(graph, map, {.lengths = true}).value, 0, 1e-12);
    EXPECT_GT(scaled_stress(graph, map).value, 0.1);
    const Graph ones = path(40);
    const Map wave = on_lattice(40, 100, 1);
    EXPECT_NEAR(scaled_stress(ones, wave, {.lengths = true}).value, scaled_stress(ones, wave).value, 1e-12);
}

TEST(ScaledStress, OfSampledSourcesIsNearTheWhole) {
    constexpr Index n = 9000;
    const Graph graph = random_graph(n, 40000, 3);
    const Map map = on_lattice(n, 1000, 4);
    const Score exact = scaled_stress(graph, map, {.extent = Extent::full}),
                sampled = scaled_stress(graph, map, {.exact_sources = 0});
    EXPECT_EQ(exact.se, 0);
    EXPECT_GT(sampled.se, 0);
    EXPECT_LT(sampled.se, 0.01);
    EXPECT_NEAR(sampled.value, exact.value, 4 * sampled.se);
}

/// Steps from a source, by going through all edges again and again; -1: no path.
std::vector<Index> steps_slowly(const Graph& graph, Index source) {
    std::vector<Index> steps(static_cast<std::size_t>(graph.size()), -1);
    steps[static_cast<std::size_t>(source)] = 0;
    bool found = true;
    for (Index step = 0; found; ++step) {
        found = false;
        for (Index v = 0; v < graph.size(); ++v) {
            const auto place = static_cast<std::size_t>(v);
            if (steps[place] != step) continue;
            for (Offset e = graph.offsets[place]; e < graph.offsets[place + 1]; ++e) {
                Index& there = steps[static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])];
                if (there < 0) there = step + 1;
                found = true;
            }
        }
    }
    return steps;
}

/// A star of 9,000 vertices, hub last, beside a path of 600.
Graph star_and_path() {
    constexpr Index hub = 9599;
    std::vector<Edge> edges;
    for (Index v = 1; v < 600; ++v) edges.push_back({v - 1, v});
    for (Index v = 600; v < hub; ++v) edges.push_back({v, hub});
    return graph_of(hub + 1, edges);
}

/// Many components and isolated vertices; one component; rows longer than are copied at once; than a piece.
std::vector<Graph> graphs_to_search() {
    return {random_graph(500, 400, 5), random_graph(3000, 9000, 6), complete(60), star_and_path(), path(700)};
}

TEST(Paths, OneBreadthFirstFindsTheStepsOfTheSlowWay) {
    for (const Graph& graph : graphs_to_search()) {
        graph::OneBreadthFirst search(graph);
        for (const Index source : {0, 1, graph.size() / 2, graph.size() - 1}) {
            const std::vector<Index> expected = steps_slowly(graph, source);
            const std::span<const Index> steps = search.run(source);
            EXPECT_TRUE(std::equal(steps.begin(), steps.end(), expected.begin(), expected.end())) << graph.size();
            EXPECT_EQ(search.farthest(), *std::max_element(expected.begin(), expected.end()));
        }
    }
}

TEST(Paths, BreadthFirstFindsEveryStepOnce) {
    for (const Graph& graph : graphs_to_search()) {
        const Index n = graph.size();
        std::vector<Index> sources;
        for (std::uint64_t k = 0; sources.size() < graph::BreadthFirst::most_sources; ++k) {
            const auto source = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), 7, k));
            if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
        }
        graph::BreadthFirst search(graph);
        graph::OneBreadthFirst one(graph);
        for (const std::size_t count : {sources.size(), std::size_t{5}}) {  // the second run begins anew
            std::vector<std::vector<Index>> steps(count, std::vector<Index>(static_cast<std::size_t>(n), -1));
            search.run(std::span(sources).first(count), [&](Index v, graph::BreadthFirst::Searches searches, int step) {
                for (std::size_t k = 0; k < count; ++k) {
                    if ((searches >> k & 1) == 0) continue;
                    EXPECT_EQ(steps[k][static_cast<std::size_t>(v)], -1);
                    steps[k][static_cast<std::size_t>(v)] = step;
                }
                if (count < 32) {
                    EXPECT_EQ(searches >> count, 0U);
                }
            });
            for (std::size_t k = 0; k < count; ++k) {
                const std::span<const Index> expected = one.run(sources[k]);
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), steps[k].begin())) << n << ' ' << k;
            }
        }
    }
}

TEST(Paths, LengthsMayDifferByPowersOfTen) {
    // 0 - 1 - 2 - 3 by small steps, or at once by a long one; 4 is far, 5 is alone
    const Graph graph = graph_of(6, {{0, 1, 1e-4F}, {1, 2, 2e-4F}, {2, 3, 4e-4F}, {0, 3, 1}, {3, 4, 1000}});
    graph::Paths paths(graph, graph.weights);
    const std::array<Index, 2> sources = {0, 4};
    for (int turn = 1; turn <= 2; ++turn) {
        std::vector<std::vector<double>> lengths(2, std::vector<double>(6, -1));
        paths.run(sources, [&](int k, Index v, double length) {
            lengths[static_cast<std::size_t>(k)][static_cast<std::size_t>(v)] = length;
        });
        const double expected[2][6] = {{-1, 1e-4, 3e-4, 7e-4, 1000.0007, -1},
                                       {1000.0007, 1000.0006, 1000.0004, 1000, -1, -1}};
        for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t v = 0; v < 6; ++v) EXPECT_NEAR(lengths[k][v], expected[k][v], 1e-9) << k << ' ' << v;
        }
    }
}

/// Bellman's: as many rounds as there are vertices.
TEST(Paths, ShortestPathsAreThoseOfTheSlowWay) {
    constexpr Index n = 300;
    Graph graph = random_graph(n, 900, 8);
    for (Index v = 0; v < n; ++v) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(v)]; e < graph.offsets[static_cast<std::size_t>(v) + 1];
             ++e) {
            const Index u = graph.targets[static_cast<std::size_t>(e)];
            graph.weights[static_cast<std::size_t>(e)] = 0.1F + static_cast<float>((7 * (u + v) + u * v) % 50);
        }
    }
    std::vector<double> slow(n, 1e300), fast(n, 1e300);
    slow[3] = fast[3] = 0;
    for (Index round = 0; round < n; ++round) {
        for (Index v = 0; v < n; ++v) {
            for (Offset e = graph.offsets[static_cast<std::size_t>(v)];
                 e < graph.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
                const auto at = static_cast<std::size_t>(e);
                double& there = slow[static_cast<std::size_t>(graph.targets[at])];
                there = std::min(there, slow[static_cast<std::size_t>(v)] + static_cast<double>(graph.weights[at]));
            }
        }
    }
    graph::ShortestPaths paths(graph, graph.weights);
    double before = 0;
    paths.run(3, [&](Index v, double length) {
        EXPECT_GE(length, before);
        fast[static_cast<std::size_t>(v)] = before = length;
    });
    for (std::size_t v = 0; v < n; ++v) EXPECT_NEAR(fast[v], slow[v], 1e-9 * slow[v]) << v;
}

TEST(NeighborhoodPreservation, IsWhatOneWorksOutByHand) {
    EXPECT_EQ(neighborhood_preservation(path(5), on_line({0, 1, 2, 3, 4})).value, 1);
    // Order 0 2 1 3: the ends keep nothing; 1 keeps 2 of {0, 2} beside {2, 3}, and 2 keeps 1
    EXPECT_NEAR(neighborhood_preservation(path(4), on_line({0, 2, 1, 3})).value, 1.0 / 6, 1e-12);
    // A vertex without edges is not judged
    EXPECT_EQ(neighborhood_preservation(graph_of(3, {{0, 1}}), on_line({0, 1, 5})).value, 1);
}

TEST(NeighborhoodPreservation, LooksAtVerticesOfEveryDegree) {
    constexpr Index n = 300;
    const Graph graph = random_graph(n, 900, 6);
    const Map map = on_lattice(n, 12, 7);  // many equal distances
    double sum = 0;
    Index count = 0;
    for (Index v = 0; v < n; ++v) {
        const auto at = static_cast<std::size_t>(v);
        const std::set<Index> mine(graph.targets.begin() + graph.offsets[at],
                                   graph.targets.begin() + graph.offsets[at + 1]);
        if (mine.empty()) continue;
        std::vector<std::pair<double, Index>> others;
        for (Index u = 0; u < n; ++u) {
            const double dx = static_cast<double>(map.view()(u, 0) - map.view()(v, 0));
            const double dy = static_cast<double>(map.view()(u, 1) - map.view()(v, 1));
            if (u != v) others.emplace_back(dx * dx + dy * dy, u);
        }
        std::sort(others.begin(), others.end());
        double both = 0;
        for (std::size_t k = 0; k < mine.size(); ++k) both += mine.contains(others[k].second) ? 1 : 0;
        sum += both / (2 * static_cast<double>(mine.size()) - both);
        ++count;
    }
    EXPECT_NEAR(neighborhood_preservation(graph, map).value, sum / count, 1e-12);
}

TEST(EdgeLengthCv, IsWhatOneWorksOutByHand) {
    EXPECT_NEAR(edge_length_cv(path(3), on_line({0, 1, 4})).value, 0.5, 1e-12);
    EXPECT_NEAR(edge_length_cv(complete(3), on_line({5, 5, 5})).value, 0, 1e-12);
    const Graph graph = graph_of(3, {{0, 1, 1}, {1, 2, 3}});
    EXPECT_NEAR(edge_length_cv(graph, on_line({0, 1, 4}), {.lengths = true}).value, 0, 1e-7);
}

TEST(MinAngle, IsWhatOneWorksOutByHand) {
    const Graph star = graph_of(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}});
    EXPECT_NEAR(min_angle(star, {2, {0, 0, 1, 0, 0, 1, -1, 0, 0, -1}}).value, 1, 1e-12);
    EXPECT_NEAR(min_angle(star, {2, {0, 0, 1, 0, 1, 1, -1, 0, 0, -1}}).value, 0.5, 1e-7);
    EXPECT_NEAR(min_angle(path(3), {2, {0, 0, 1, 0, 1, 1}}).value, 0.5, 1e-12);
    EXPECT_EQ(min_angle(path(3), on_line({0, 0, 1})).value, 0);
    EXPECT_EQ(min_angle(path(2), on_line({0, 1})).value, 1);
    EXPECT_NEAR(min_angle(complete(3), circle(3)).value, 1.0 / 3, 1e-6);
}

TEST(Crossing, OfSegmentsIsDecidedExactly) {
    const Segment s{{0, 0}, {4, 4}};
    EXPECT_TRUE(intersect(s, {{0, 4}, {4, 0}}));
    EXPECT_TRUE(intersect(s, {{2, 2}, {5, 0}}));
    EXPECT_TRUE(intersect(s, {{3, 3}, {9, 9}}));
    EXPECT_FALSE(intersect(s, {{5, 5}, {9, 9}}));
    EXPECT_FALSE(intersect(s, {{0, 1}, {3, 4}}));
    EXPECT_FALSE(intersect(s, {{3, 2}, {5, 0}}));
    // Points beside a long line by one unit in the last place of a float
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

/// In whole numbers, pair by pair.
double crossings_slowly(const Graph& graph, const Map& map) {
    struct Pair {
        Index a, b;
    };
    std::vector<Pair> edges;
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

/// A lattice of points that were moved at random, so that some edges cross.
struct Drawing {
    Graph graph;
    Map map;
};
Drawing lattice(Index side, double moved, std::uint64_t seed) {
    std::vector<Edge> edges;
    Drawing drawing;
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

/// How many of 200 seeds put the truth within two standard errors.
template <class ScoreOf>
int covered(double truth, const ScoreOf& score_of) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Score score = score_of({.threads = 1, .seed = seed});
        count += score.se > 0 && std::abs(score.value - truth) <= 2 * score.se ? 1 : 0;
    }
    return count;
}

TEST(ScaledStress, HasAnHonestStandardError) {
    const Graph random = random_graph(1100, 3000, 3);
    for (const Drawing& drawing : {lattice(34, 0.3, 1), Drawing{random, on_lattice(1100, 100, 4)}}) {
        const auto& [graph, map] = drawing;
        const double truth = scaled_stress(graph, map, {.extent = Extent::full}).value;
        EXPECT_EQ(scaled_stress(graph, map, {.extent = Extent::full}).se, 0);
        EXPECT_NEAR(scaled_stress(graph, map, {.exact_sources = 20000}).value, truth, 1e-12);
        EXPECT_LT(scaled_stress(graph, map).se, 0.01 * truth);
        EXPECT_GE(covered(truth, [&](const dunlin::Run& run) { return scaled_stress(graph, map, {}, run); }), 180);
    }
}

TEST(ScaledStress, OfLongPathsIsThatOfOtherSearches) {
    const Drawing grid = lattice(30, 0.2, 2);  // 58 steps across: searches go one by one
    const double steps = scaled_stress(grid.graph, grid.map).value;
    EXPECT_NEAR(scaled_stress(grid.graph, grid.map, {.lengths = true}).value, steps, 1e-12);  // by Dijkstra's
    const Map line = on_line(std::vector<float>(900, 1.0F));
    EXPECT_EQ(scaled_stress(grid.graph, line).value, 1);
}

TEST(ScaledStress, OfPathsBesideShortOnesIsThatOfOtherSearches) {
    std::vector<Edge> edges;
    for (std::uint64_t e = 0; e < 900; ++e)  // 300 vertices with short paths, searched together, and a path of 690
        edges.push_back({static_cast<Index>(math::random_below(300, 3, e, 0)),
                         static_cast<Index>(math::random_below(300, 3, e, 1))});
    for (Index v = 301; v < 990; ++v) edges.push_back({v - 1, v});
    for (const Graph& one : {graph_of(990, edges), star_and_path()}) {
        const Map drawing = on_lattice(one.size(), 1000, 4);
        const Score steps = scaled_stress(one, drawing), lengths = scaled_stress(one, drawing, {.lengths = true});
        EXPECT_NEAR(steps.value, lengths.value, 1e-11);
        EXPECT_NEAR(steps.se, lengths.se, 1e-9);
    }
}

TEST(MinAngle, OfSampledVerticesHasAnHonestStandardError) {
    const auto [graph, map] = lattice(60, 0.3, 4);
    const Score truth = min_angle(graph, map, {.extent = Extent::full});
    EXPECT_EQ(truth.se, 0);
    EXPECT_EQ(min_angle(graph, map, thorough_layout()).value, truth.value);
    EXPECT_GT(min_angle(graph, map, {.exact_angles = 0}).se, 0);
    EXPECT_EQ(min_angle(graph, map, {.exact_angles = 3600}).value, truth.value);
    EXPECT_GE(covered(truth.value, [&](const dunlin::Run& run) { return min_angle(graph, map, {}, run); }), 180);
}

TEST(NeighborhoodPreservation, OfSampledVerticesHasAnHonestStandardError) {
    const auto [graph, map] = lattice(60, 0.5, 5);
    const double truth = neighborhood_preservation(graph, map, {.extent = Extent::full}).value;
    EXPECT_LT(neighborhood_preservation(graph, map).se, 0.003);
    EXPECT_GE(covered(truth, [&](const dunlin::Run& run) { return neighborhood_preservation(graph, map, {}, run); }),
              180);
}

/// Short edges, so that boxes are small, and one far away; places are whole numbers.
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

/// The root mean square of the errors is the standard error, also where all edges meet all.
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
    const Drawing grid = lattice(70, 0.3, 3);  // 9,660 edges, more than are sampled
    const Score all = crossings(grid.graph, grid.map);
    EXPECT_EQ(all.se, 0);
    EXPECT_GT(all.value, 0);
    EXPECT_EQ(all.value, crossings(grid.graph, grid.map, {.extent = Extent::full}).value);
    EXPECT_EQ(crossings(lattice(70, 0, 3).graph, lattice(70, 0, 3).map).value, 0);
}

TEST(GraphScores, OfNoneAreLeftOut) {
    const LayoutScores none = evaluate(complete(4), circle(4), {.extent = Extent::none});
    EXPECT_FALSE(none.scaled_stress || none.crossings || none.min_angle || none.edge_length_cv);
}

TEST(GraphScores, DoNotDependOnThreads) {
    const Graph graph = random_graph(2000, 5000, 10);
    const Map map = on_lattice(2000, 500, 11);
    const LayoutScores one = evaluate(graph, map, {}, {.threads = 1}), four = evaluate(graph, map, {}, {.threads = 4});
    EXPECT_GT(one.scaled_stress->se, 0);
    EXPECT_EQ(one.scaled_stress->se, four.scaled_stress->se);
    EXPECT_EQ(one.scaled_stress->value, four.scaled_stress->value);
    EXPECT_EQ(one.neighborhood_preservation->value, four.neighborhood_preservation->value);
    EXPECT_EQ(one.edge_length_cv->value, four.edge_length_cv->value);
    EXPECT_EQ(one.crossings->value, four.crossings->value);
    EXPECT_EQ(one.min_angle->value, four.min_angle->value);
}

TEST(GraphScores, ThatDoNotApplyAreLeftOut) {
    const LayoutScores space = evaluate(complete(4), {3, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}});
    EXPECT_TRUE(space.scaled_stress.has_value());
    EXPECT_FALSE(space.crossings.has_value());
    EXPECT_FALSE(space.min_angle.has_value());
    EXPECT_FALSE(evaluate(graph_of(2, {}), on_line({0, 1})).scaled_stress.has_value());
    EXPECT_FALSE(evaluate(Graph{}, Map{}).scaled_stress.has_value());
}

TEST(GraphScores, NameWhatIsWrong) {
    EXPECT_THROW(scaled_stress(path(3), on_line({0, 1})), Error);
    EXPECT_THROW(scaled_stress(graph_of(2, {}), on_line({0, 1})), Error);
    EXPECT_THROW(scaled_stress(graph_of(2, {{0, 1, -1}}), on_line({0, 1}), {.lengths = true}), Error);
    EXPECT_THROW(crossings(complete(3), {3, std::vector<float>(9)}), Error);
    EXPECT_THROW(evaluate(path(3), on_line({0, 1})), Error);
    Graph broken = path(3);
    broken.targets[0] = 3;
    EXPECT_THROW(min_angle(broken, on_line({0, 1, 2})), Error);
}

}  // namespace
}  // namespace dunlin::scores
