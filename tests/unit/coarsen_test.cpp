// SPDX-License-Identifier: Apache-2.0
#include "graph/coarsen.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/graphs.hpp"
#include "math/rng.hpp"

namespace dunlin::graph {
namespace {

using made::Edge;
using made::graph_of;
using made::path;

Graph random_graph(Index n, Index edges) {
    std::vector<Edge> list;
    for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(edges); ++e) {
        list.push_back({static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), 1, e, 0)),
                        static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), 1, e, 1))});
    }
    return graph_of(n, list);
}

Coarsening coarsened(const Graph& graph, int threads = 1) {
    device::Cpu cpu(threads);
    return coarsen(cpu, {&graph, {}}, 5);
}

TEST(Coarsen, AStarBecomesItsCenter) {
    const Coarsening c = coarsened(made::star(1001));
    EXPECT_EQ(c.graph.size(), 1);
    EXPECT_EQ(c.graph.edges(), 0);
}

TEST(Coarsen, EmptyGraphsAndIsolatedVerticesStay) {
    EXPECT_EQ(coarsened(Graph{}).graph.size(), 0);
    EXPECT_EQ(coarsened(graph_of(3, {})).graph.size(), 3);
}

TEST(Coarsen, APathKeepsItsLengthAndStrength) {
    // Springs of strength 1 in series: length times strength is 1
    const Coarsening c = coarsened(path(100));
    double length = 0, resistance = 0;
    for (std::size_t e = 0; e < c.graph.targets.size(); ++e) {
        length += static_cast<double>(c.lengths[e]) / 2;
        resistance += 1 / static_cast<double>(c.graph.weights[e]) / 2;
    }
    EXPECT_EQ(c.graph.edges(), 2 * (c.graph.size() - 1));
    EXPECT_NEAR(length, resistance, 1e-3);
    EXPECT_GE(length, 97);  // between the first and the last root
    EXPECT_LE(length, 99);
}

TEST(Coarsen, RootsAreSelvesOrNeighborsAndEdgesJoinClusters) {
    const Graph graph = random_graph(500, 1200);
    const Coarsening c = coarsened(graph);
    ASSERT_LT(c.graph.size(), 300);
    std::vector<Edge> edges;
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(v)]; e < graph.offsets[static_cast<std::size_t>(v) + 1];
             ++e) {
            edges.push_back({c.parent[static_cast<std::size_t>(v)],
                             c.parent[static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])]});
        }
    }
    const Graph wanted = graph_of(c.graph.size(), edges);
    EXPECT_EQ(c.graph.offsets, wanted.offsets);
    EXPECT_EQ(c.graph.targets, wanted.targets);
    for (const float length : c.lengths) EXPECT_TRUE(length >= 1 && length <= 3) << length;
}

TEST(Coarsen, DistancesToRootsAreEdgeLengths) {
    const Graph line = path(100);
    std::vector<float> lengths(line.targets.size(), 3.0F);
    device::Cpu cpu(1);
    const Coarsening c = coarsen(cpu, {&line, lengths}, 5);
    for (std::size_t i = 0; i < c.root.size(); ++i) {
        EXPECT_EQ(c.parent[static_cast<std::size_t>(c.root[i])], static_cast<Index>(i));
        EXPECT_EQ(c.reach[static_cast<std::size_t>(c.root[i])], 0);
    }
    EXPECT_EQ(std::count(c.reach.begin(), c.reach.end(), 3.0F), 100 - c.graph.size());
}

TEST(Coarsen, TheSameForAnyNumberOfThreads) {
    const Graph graph = random_graph(20000, 60000);
    const Coarsening one = coarsened(graph, 1), three = coarsened(graph, 3);
    EXPECT_EQ(one.parent, three.parent);
    EXPECT_EQ(one.graph.targets, three.graph.targets);
    EXPECT_EQ(one.graph.weights, three.graph.weights);
    EXPECT_EQ(one.lengths, three.lengths);
}

}  // namespace
}  // namespace dunlin::graph
