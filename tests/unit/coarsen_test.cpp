#include "graph/coarsen.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/simplify.hpp"
#include "layout/stress.hpp"
#include "math/rng.hpp"

namespace dunlin::graph {
namespace {

Graph graph_of(Index n, const std::vector<Edge>& edges) {
    device::Cpu cpu(1);
    return simplify(cpu, n, edges, {}).graph;
}

Graph path(Index n) {
    std::vector<Edge> edges;
    for (Index i = 1; i < n; ++i) edges.push_back({i - 1, i});
    return graph_of(n, edges);
}

Graph star(Index leaves) {
    std::vector<Edge> edges;
    for (Index i = 1; i <= leaves; ++i) edges.push_back({0, i});
    return graph_of(leaves + 1, edges);
}

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

TEST(Coarsen, AStarBecomesItsCentre) {
    const Coarsening c = coarsened(star(1000));
    EXPECT_EQ(c.graph.size(), 1);
    EXPECT_EQ(c.graph.edges(), 0);
}

TEST(Coarsen, NobodyAndThoseWithoutEdgesStay) {
    EXPECT_EQ(coarsened(Graph{}).graph.size(), 0);
    EXPECT_EQ(coarsened(graph_of(3, {})).graph.size(), 3);
}

TEST(Coarsen, APathKeepsItsLengthAndItsPull) {
    // Springs of strength 1 in a row: one over the strength is the length
    const Coarsening c = coarsened(path(100));
    double length = 0, resistance = 0;
    for (std::size_t e = 0; e < c.graph.targets.size(); ++e) {
        length += static_cast<double>(c.lengths[e]) / 2;
        resistance += 1 / static_cast<double>(c.graph.weights[e]) / 2;
    }
    EXPECT_EQ(c.graph.edges(), 2 * (c.graph.size() - 1));
    EXPECT_NEAR(length, resistance, 1e-3);
    EXPECT_GE(length, 97);  // between the first that stays and the last
    EXPECT_LE(length, 99);
}

TEST(Coarsen, ParentsAreSelvesOrNeighboursAndEdgesAreThoseOfTheirFolk) {
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

TEST(Coarsen, TheSameForAnyNumberOfThreads) {
    const Graph graph = random_graph(20000, 60000);
    const Coarsening one = coarsened(graph, 1), three = coarsened(graph, 3);
    EXPECT_EQ(one.parent, three.parent);
    EXPECT_EQ(one.graph.targets, three.graph.targets);
    EXPECT_EQ(one.graph.weights, three.graph.weights);
    EXPECT_EQ(one.lengths, three.lengths);
}

TEST(Stress, DistancesAlongAPathAndARectangleAreMet) {
    device::Cpu cpu(1);
    const Graph line = path(4);
    const Level level{&line, {}};
    const layout::Pivots all = layout::pivots_of(cpu, level, 10);
    EXPECT_EQ(all.distances, (std::vector<float>{0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 0}));
    EXPECT_FLOAT_EQ(all.weights[2], 0.25F);
    Map map = layout::classical_scaling(cpu, all, 2, 1);
    layout::lower_stress(cpu, level, all, 200, map);
    for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j < i; ++j) {
            const double d = std::hypot(static_cast<double>(map.view()(i, 0) - map.view()(j, 0)),
                                        static_cast<double>(map.view()(i, 1) - map.view()(j, 1)));
            EXPECT_NEAR(d, i - j, 0.01);
        }
    }
}

TEST(Stress, PivotsLieFarApartAndStandForTheirRegions) {
    device::Cpu cpu(1);
    const Graph line = path(10);
    const layout::Pivots two = layout::pivots_of(cpu, {&line, {}}, 2);
    EXPECT_EQ(two.vertices, (std::vector<Index>{9, 0}));  // the farthest from vertex 0, and the farthest from that
    // Vertex 8 is 8 from pivot 0, whose region is 0 to 4: all of it at most 4 away
    EXPECT_FLOAT_EQ(two.weights[8 * 2 + 1], 5.0F / 64);
    EXPECT_FLOAT_EQ(two.weights[8 * 2 + 0], 1.0F);
    EXPECT_FLOAT_EQ(two.weights[9 * 2 + 0], 0.0F);
}

}  // namespace
}  // namespace dunlin::graph
