// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "cases/cases.hpp"
#include "math/rng.hpp"
#include "score_graphs.hpp"

namespace dunlin::scores {
namespace {

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

TEST(ScaledStress, OfLongPathsIsTheSameWhateverTheMapShows) {
    // More than 48 steps: searches one by one, renumbered by the map or by the graph
    constexpr Index side = 4, n = 400 * side;
    std::vector<Edge> edges;
    Map drawn{2, {}}, line{1, {}}, space{3, {}};
    for (Index v = 0; v < n; ++v) {
        if (v % side > 0) edges.push_back({v - 1, v});
        if (v >= side) edges.push_back({v - side, v});
        const auto x = static_cast<float>(v % side), y = static_cast<float>(v / side);
        drawn.coordinates.insert(drawn.coordinates.end(), {x, y});
        line.coordinates.push_back(x - 2 * y);
        space.coordinates.insert(space.coordinates.end(), {x, y, x * y / 100});
    }
    const Graph graph = graph_of(n, edges);
    const Map together{2, std::vector<float>(2 * n, 3.0F)};
    for (const Map& map : {drawn, line, space, together, on_lattice(n, 1000, 4)}) {
        for (const Extent extent : {Extent::sampled, Extent::full}) {
            // Lengths of 1 take Dijkstra's algorithm and no renumbering
            const Score steps = scaled_stress(graph, map, {.extent = extent}),
                        lengths = scaled_stress(graph, map, {.lengths = true, .extent = extent});
            EXPECT_NEAR(steps.value, lengths.value, 1e-9) << map.dim;
            EXPECT_NEAR(steps.se, lengths.se, 1e-9) << map.dim;
        }
    }
    EXPECT_EQ(scaled_stress(graph, drawn, {}, {.threads = 1}).value,
              scaled_stress(graph, drawn, {}, {.threads = 3}).value);
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

TEST(NeighborhoodPreservation, IsWhatOneWorksOutByHand) {
    EXPECT_EQ(neighborhood_preservation(path(5), on_line({0, 1, 2, 3, 4})).value, 1);
    // Order 0 2 1 3: the ends keep no neighbor; 1 keeps 2 of {0, 2} and {2, 3}; 2 keeps 1
    EXPECT_NEAR(neighborhood_preservation(path(4), on_line({0, 2, 1, 3})).value, 1.0 / 6, 1e-12);
    // Isolated vertices are omitted
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
        std::map<double, std::pair<Index, Index>> rings;  // points and neighbors at each distance
        for (Index u = 0; u < n; ++u) {
            const double dx = static_cast<double>(map.view()(u, 0) - map.view()(v, 0));
            const double dy = static_cast<double>(map.view()(u, 1) - map.view()(v, 1));
            if (u == v) continue;
            auto& [points, neighbors] = rings[dx * dx + dy * dy];
            ++points;
            neighbors += mine.contains(u) ? 1 : 0;
        }
        // The chances of h neighbors among the nearest, point by point; of a ring that is cut, any are drawn
        std::vector<double> chance(mine.size() + 1, 0.0);
        chance[0] = 1;
        Index left = static_cast<Index>(mine.size());
        for (const auto& [distance, ring] : rings) {
            const Index drawn = std::min(left, ring.first);
            std::vector<double> of_ring(mine.size() + 1, 0.0), sums(mine.size() + 1, 0.0);
            of_ring[0] = 1;
            for (Index t = 0; t < drawn; ++t) {
                std::vector<double> next(mine.size() + 1, 0.0);
                for (std::size_t h = 0; h <= mine.size(); ++h) {
                    const double hit = std::max(0.0, static_cast<double>(ring.second) - static_cast<double>(h)) /
                                       static_cast<double>(ring.first - t);
                    if (h < mine.size()) next[h + 1] += of_ring[h] * hit;
                    next[h] += of_ring[h] * (1 - hit);
                }
                of_ring = next;
            }
            for (std::size_t h = 0; h <= mine.size(); ++h) {
                for (std::size_t g = 0; g + h <= mine.size(); ++g) sums[g + h] += chance[g] * of_ring[h];
            }
            chance = sums;
            left -= drawn;
            if (left == 0) break;
        }
        for (std::size_t h = 0; h <= mine.size(); ++h) {
            const auto both = static_cast<double>(h);
            sum += chance[h] * both / (2 * static_cast<double>(mine.size()) - both);
        }
        ++count;
    }
    EXPECT_NEAR(neighborhood_preservation(graph, map).value, sum / count, 1e-12);
}

TEST(EdgeLengthCv, IsWhatOneWorksOutByHand) {
    EXPECT_NEAR(edge_length_cv(path(3), on_line({0, 1, 4})).value, 0.5, 1e-12);
    EXPECT_TRUE(std::isnan(edge_length_cv(complete(3), on_line({5, 5, 5})).value));
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

TEST(ScaledStress, HasAnHonestStandardError) {
    const Graph random = random_graph(1100, 3000, 3);
    for (const TestDrawing& drawing : {lattice(34, 0.3, 1), TestDrawing{random, on_lattice(1100, 100, 4)}}) {
        const auto& [graph, map] = drawing;
        const double truth = scaled_stress(graph, map, {.extent = Extent::full}).value;
        EXPECT_EQ(scaled_stress(graph, map, {.extent = Extent::full}).se, 0);
        EXPECT_NEAR(scaled_stress(graph, map, {.exact_sources = 20000}).value, truth, 1e-12);
        EXPECT_LT(scaled_stress(graph, map).se, cases::stress_error * truth);
        EXPECT_GE(covered(truth, [&](const dunlin::Run& run) { return scaled_stress(graph, map, {}, run); }), 180);
    }
}

TEST(ScaledStress, OfLongPathsIsThatOfOtherSearches) {
    const TestDrawing grid = lattice(30, 0.2, 2);  // 58 steps across: searches go one by one
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
    EXPECT_LT(neighborhood_preservation(graph, map).se, cases::score_spread);
    EXPECT_GE(covered(truth, [&](const dunlin::Run& run) { return neighborhood_preservation(graph, map, {}, run); }),
              180);
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
