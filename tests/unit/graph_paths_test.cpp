// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/paths.hpp"
#include "graph/relabel.hpp"
#include "math/rng.hpp"
#include "score_graphs.hpp"

namespace dunlin::scores {
namespace {

/// Steps from a source, by repeated relaxation of all edges; -1: no path.
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

/// Many components and isolated vertices; one component; rows longer than one copy; rows longer than one piece.
std::vector<Graph> graphs_to_search() {
    return {random_graph(500, 400, 5), random_graph(3000, 9000, 6), complete(60), star_and_path(), path(700)};
}

TEST(Paths, OneBreadthFirstFindsTheStepsOfTheSlowWay) {
    for (const Graph& graph : graphs_to_search()) {
        graph::OneBreadthFirst<Graph> search(graph);
        for (const Index source : {0, 1, graph.size() / 2, graph.size() - 1}) {
            const std::vector<Index> expected = steps_slowly(graph, source);
            const std::span<const Index> steps = search.run(source);
            EXPECT_TRUE(std::equal(steps.begin(), steps.end(), expected.begin(), expected.end())) << graph.size();
            EXPECT_EQ(search.farthest(), *std::max_element(expected.begin(), expected.end()));
        }
    }
}

std::vector<Index> reversed(Index n) {
    std::vector<Index> order;
    for (Index v = n; v-- > 0;) order.push_back(v);
    return order;
}

TEST(Paths, OneBreadthFirstFindsTheSameInCompactRows) {
    device::Cpu cpu(2);
    for (const Graph& graph : graphs_to_search()) {
        const Index n = graph.size();
        const graph::CompactRows rows = graph::relabel_compact(cpu, graph, reversed(n));
        ASSERT_EQ(rows.size(), n);
        graph::OneBreadthFirst<Graph> search(graph);
        graph::OneBreadthFirst<graph::CompactRows> compact(rows);
        for (const Index source : {0, n / 2, n - 1}) {
            const std::span<const Index> expected = search.run(source), steps = compact.run(n - 1 - source);
            EXPECT_TRUE(std::equal(steps.rbegin(), steps.rend(), expected.begin(), expected.end())) << n;
            EXPECT_EQ(compact.farthest(), search.farthest());
        }
    }
}

TEST(Relabel, CompactRowsAreThoseOfTheRelabeledGraph) {
    device::Cpu cpu(2);
    for (const Graph& graph : graphs_to_search()) {
        const std::vector<Index> order = reversed(graph.size());
        const Graph whole = graph::relabel(cpu, graph, order);
        const graph::CompactRows rows = graph::relabel_compact(cpu, graph, order);
        EXPECT_TRUE(std::equal(whole.offsets.begin(), whole.offsets.end(), rows.offsets.begin(), rows.offsets.end()));
        ASSERT_EQ(rows.targets.size(), whole.targets.size() + graph::CompactRows::padding);
        EXPECT_TRUE(std::equal(whole.targets.begin(), whole.targets.end(), rows.targets.begin()));
    }
    const graph::CompactRows none = graph::relabel_compact(cpu, graph_of(0, {}), {});
    EXPECT_EQ(none.size(), 0);
}

TEST(Relabel, GapsBetweenNeighborsByHand) {
    device::Cpu cpu(1);
    const Graph graph = graph_of(4, {{0, 1}, {1, 2}, {0, 3}});
    // Gaps of 1, 1 and 3 have 1, 1 and 2 bits, each edge counted from both ends
    EXPECT_EQ(graph::bits_of_gaps(cpu, graph, std::vector<Index>{0, 1, 2, 3}), 8);
    EXPECT_EQ(graph::bits_of_gaps(cpu, graph, std::vector<Index>{1, 2, 3, 0}), 6);
    EXPECT_EQ(graph::bits_of_gaps(cpu, graph_of(3, {}), std::vector<Index>{0, 1, 2}), 0);
}

TEST(Paths, BreadthFirstFindsEveryStepOnce) {
    for (const Graph& graph : graphs_to_search()) {
        const Index n = graph.size();
        std::vector<Index> sources;
        for (std::uint64_t k = 0; sources.size() < graph::BreadthFirst::max_sources; ++k) {
            const auto source = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), 7, k));
            if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
        }
        graph::BreadthFirst search(graph);
        graph::OneBreadthFirst<Graph> one(graph);
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
    // 0 - 1 - 2 - 3 by short edges, or 0 - 3 by a long one; 4 is far, 5 is isolated
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

/// Compares with Bellman's algorithm, with as many rounds as vertices.
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

}  // namespace
}  // namespace dunlin::scores
