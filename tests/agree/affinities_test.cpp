// SPDX-License-Identifier: Apache-2.0
#include "tsne/affinities.cuh"

#include <numeric>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "graph/symmetrize.cuh"
#include "graph/symmetrize.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin {
namespace {

/// kNN-like graph: each vertex has edges to some of the `reach` vertices before and after it, always to the nearest;
/// about half the edges have a reverse. Distances ascend within a row, from `least` on.
Graph some_neighbors(Index n, Index reach, float least = 0) {
    Graph graph;
    reach = std::min<Index>(reach, (n - 1) / 2);
    for (Index i = 0; i < n; ++i) {
        float distance = least;
        const auto add = [&](Index target, std::uint64_t draw) {
            distance += static_cast<float>(math::random_uniform(11, static_cast<std::uint64_t>(i), draw));
            graph.targets.push_back((target + n) % n);
            graph.weights.push_back(distance);
        };
        if (n == 2) add(1 - i, 0);
        for (Index j = 1; j <= reach; ++j) {
            const auto draw = static_cast<std::uint64_t>(4 * j), item = static_cast<std::uint64_t>(i);
            if (j == 1 || math::random_uniform(12, item, draw) < 0.7) add(i + j, draw);
            if (j == 1 || math::random_uniform(12, item, draw + 1) < 0.7) add(i - j, draw + 1);
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

/// A star: all leaves have an edge to vertex 0, every second one also to its successor; vertex 0 has no edges.
Graph star(Index n) {
    Graph graph;
    graph.offsets.push_back(0);
    for (Index i = 1; i < n; ++i) {
        const auto weight = static_cast<float>(math::random_uniform(5, static_cast<std::uint64_t>(i)));
        graph.targets.push_back(0);
        graph.weights.push_back(weight);
        if (i % 2 == 1 && i + 1 < n) {
            graph.targets.push_back(i + 1);
            graph.weights.push_back(1 + weight);
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

Graph symmetrized_on_device(const Graph& graph, double scale) {
    device::Cuda cuda{dunlin::Run{}};
    return graph::download(cuda, graph::symmetrize(cuda, graph::upload(cuda, graph), graph::ScaledSum{scale}));
}

Graph affinities_of_device(const Graph& graph, float perplexity) {
    device::Cuda cuda{dunlin::Run{}};
    return graph::download(cuda, tsne::affinities_on_device(cuda, graph::upload(cuda, graph), perplexity));
}

void expect_same(const Graph& a, const Graph& b) {
    EXPECT_EQ(a.offsets, b.offsets);
    EXPECT_EQ(a.targets, b.targets);
    EXPECT_EQ(a.weights, b.weights);
}

TEST(SymmetrizeOnGpu, IsTheCpusToTheBit) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu;
    for (const Index n : agree::sizes({0, 1, 2, 3, 31, 32, 33, 1000, 65536, 70001})) {
        SCOPED_TRACE(n);
        const Graph graph = some_neighbors(n, 20);
        expect_same(symmetrized_on_device(graph, 0.3),
                    graph::symmetrize(cpu, graph, graph.weights, graph::ScaledSum{0.3}));
    }
}

TEST(SymmetrizeOnGpu, AHubCostsNoOrder) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu;
    const Graph graph = star(1000001);
    expect_same(symmetrized_on_device(graph, 0.5), graph::symmetrize(cpu, graph, graph.weights, graph::ScaledSum{0.5}));
}

TEST(SymmetrizeOnGpu, VerticesWithoutEdges) {
    DUNLIN_NEEDS_GPU();
    expect_same(symmetrized_on_device(Graph{{0, 0, 0, 0}, {}, {}}, 1), Graph{{0, 0, 0, 0}, {}, {}});
    const Graph lonely{{0, 0, 1, 1, 1}, {3}, {2}};
    expect_same(symmetrized_on_device(lonely, 1), Graph{{0, 0, 1, 1, 2}, {3, 1}, {2, 2}});
}

TEST(AffinitiesOnGpu, AreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({0, 1, 2, 3, 31, 32, 33, 1000, 70001})) {
        SCOPED_TRACE(n);
        const Graph graph = some_neighbors(n, 40);
        const float perplexity = n < 33 ? 1.0F : 12.0F;
        const Graph expected = tsne::affinities(graph, perplexity);
        const Graph p = affinities_of_device(graph, perplexity);
        EXPECT_EQ(p.offsets, expected.offsets);
        ASSERT_EQ(p.targets, expected.targets);
        for (std::size_t e = 0; e < p.weights.size(); ++e) {
            ASSERT_NEAR(p.weights[e], expected.weights[e], 1e-4F * expected.weights[e] + 1e-7F / static_cast<float>(n))
                << e;
        }
        if (n > 1) {
            EXPECT_NEAR(std::accumulate(p.weights.begin(), p.weights.end(), 0.0), 1.0, cases::affinity_sum);
        }
        EXPECT_EQ(affinities_of_device(graph, perplexity).weights, p.weights);
    }
}

TEST(AffinitiesOnGpu, DistancesThatDifferInTheirLastDigitsStillCount) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = some_neighbors(500, 40, 1e4F);
    const Graph p = affinities_of_device(graph, 12), expected = tsne::affinities(graph, 12);
    for (std::size_t e = 0; e < p.weights.size(); ++e) {
        EXPECT_NEAR(p.weights[e], expected.weights[e], 1e-4F * expected.weights[e] + 1e-9F);
    }
}

TEST(AffinitiesOnGpu, EqualDistancesGiveTheLimits) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    device::Cpu cpu;
    for (const float distance : {0.0F, 1e-38F, 5.0F, 1e30F}) {
        Graph graph = some_neighbors(100, 20);
        std::fill(graph.weights.begin(), graph.weights.end(), distance);
        auto rows = graph::upload(cuda, graph);
        tsne::conditional_affinities(cuda, rows, 5);
        EXPECT_EQ(cuda.host(rows.weights), tsne::conditional_affinities(cpu, graph, 5)) << distance;
    }
    // More coincident neighbors than the perplexity: uniform over them
    Graph graph{{0, 12}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, std::vector<float>(12, 0.0F)};
    std::fill(graph.weights.begin() + 8, graph.weights.end(), 3.0F);
    auto rows = graph::upload(cuda, graph);
    tsne::conditional_affinities(cuda, rows, 5);
    const std::vector<float> p = cuda.host(rows.weights);
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(p[j], j < 8 ? 0.125F : 0.0F, 1e-6F) << j;
}

TEST(AffinitiesOnGpu, RefuseAPerplexityThatTheNeighborsCannotGiveAndNameThePoint) {
    DUNLIN_NEEDS_GPU();
    Graph graph = some_neighbors(100, 20);
    const auto message = [&](const auto& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::bad_input);
            return error.what();
        }
        return "";
    };
    const std::string of_cpu = message([&] { tsne::affinities(graph, 35); });
    EXPECT_FALSE(of_cpu.empty());
    EXPECT_EQ(message([&] { affinities_of_device(graph, 35); }), of_cpu);
    EXPECT_FALSE(message([&] { affinities_of_device(graph, 0.5F); }).empty());
}

}  // namespace
}  // namespace dunlin
