// SPDX-License-Identifier: Apache-2.0
#include "graph/simplify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "math/rng.hpp"

namespace dunlin::graph {
namespace {

float joined(float a, float b, Repeated repeated) {
    return repeated == Repeated::largest ? std::max(a, b) : repeated == Repeated::least ? std::min(a, b) : a + b;
}

/// Reference: a map of maps.
SimpleGraph slow(Index vertices, const std::vector<Edge>& edges, const std::vector<float>& weights, Repeated repeated) {
    std::vector<std::map<Index, float>> rows(static_cast<std::size_t>(vertices));
    SimpleGraph simple;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [source, target] = edges[e];
        if (source == target) {
            ++simple.self_loops;
            continue;
        }
        const float weight = weights.empty() ? 1 : weights[e];
        const auto [entry, fresh] = rows[static_cast<std::size_t>(source)].emplace(target, weight);
        simple.multi_edges += fresh ? 0 : 1;
        if (!fresh) entry->second = joined(entry->second, weight, repeated);
        rows[static_cast<std::size_t>(target)][source] = entry->second;
    }
    for (const auto& row : rows) {
        for (const auto& [target, weight] : row) {
            simple.graph.targets.push_back(target);
            simple.graph.weights.push_back(weight);
        }
        simple.graph.offsets.push_back(static_cast<Offset>(simple.graph.targets.size()));
    }
    return simple;
}

void expect_equal(const SimpleGraph& a, const SimpleGraph& b) {
    EXPECT_EQ(a.graph.offsets, b.graph.offsets);
    EXPECT_EQ(a.graph.targets, b.graph.targets);
    EXPECT_EQ(a.graph.weights, b.graph.weights);
    EXPECT_EQ(a.self_loops, b.self_loops);
    EXPECT_EQ(a.multi_edges, b.multi_edges);
}

Index draw(std::uint64_t edge, std::uint64_t end, Index vertices) {
    return static_cast<Index>(math::random_uniform(7, edge, end) * vertices);
}

TEST(Simplify, AgreesWithTheReferenceForAnyNumberOfThreads) {
    // Sizes around those of buckets, and many buckets; the last vertices have no edges
    for (const Index vertices : {1, 2, 31, 32, 33, 1000, 1023, 1024, 1025, 2048, 70001}) {
        for (const std::uint64_t count : {0U, 1U, 2U, 33U, 20000U}) {
            std::vector<Edge> edges;
            std::vector<float> weights;
            for (std::uint64_t e = 0; e < count; ++e) {
                const Index used = std::max<Index>(1, vertices - 3);
                edges.push_back({draw(e, 0, used), draw(e, 1, std::min<Index>(used, 500))});
                weights.push_back(static_cast<float>(draw(e, 2, 5) + 1));
            }
            for (const int threads : {1, 3}) {
                device::Cpu cpu(threads);
                for (const Repeated repeated : {Repeated::largest, Repeated::least, Repeated::add}) {
                    expect_equal(simplify(cpu, vertices, edges, {}, repeated), slow(vertices, edges, {}, repeated));
                    expect_equal(simplify(cpu, vertices, edges, weights, repeated),
                                 slow(vertices, edges, weights, repeated));
                }
            }
        }
    }
    device::Cpu cpu(2);
    EXPECT_EQ(simplify(cpu, 0, {}, {}).graph.size(), 0);
}

TEST(Simplify, EdgesThatAreListedFromBothEndsAreAddedOnce) {
    device::Cpu cpu(2);
    const std::vector<Edge> edges{{0, 1}, {1, 2}, {1, 0}, {2, 1}, {2, 2}};
    const std::vector<float> same{3, 1, 3, 1, 9}, other{3, 1, 2, 1, 9};
    const auto weights = [&](std::span<const float> of, Repeated repeated) {
        return simplify(cpu, 3, edges, of, repeated).graph.weights;
    };
    EXPECT_EQ(weights(same, Repeated::add_listed), (std::vector<float>{3, 3, 1, 1}));
    EXPECT_EQ(weights({}, Repeated::add_listed), (std::vector<float>{1, 1, 1, 1}));
    EXPECT_EQ(weights(same, Repeated::add), (std::vector<float>{6, 6, 2, 2}));
    EXPECT_EQ(weights(other, Repeated::add_listed), (std::vector<float>{5, 5, 1, 1}));
    const std::vector<Edge> some{{0, 1}, {0, 1}, {1, 0}, {2, 1}};
    EXPECT_EQ(simplify(cpu, 3, some, {}, Repeated::add_listed).graph.weights, (std::vector<float>{3, 3, 1, 1}));
    EXPECT_EQ(simplify(cpu, 3, some, {}, Repeated::add).graph.weights, (std::vector<float>{3, 3, 1, 1}));
    EXPECT_TRUE(simplify(cpu, 3, edges, same, Repeated::add_listed).both_ends);
    EXPECT_FALSE(simplify(cpu, 3, edges, other, Repeated::add_listed).both_ends);
}

TEST(Simplify, AStarAndAPathOfAMillion) {
    constexpr Index n = 1000000;
    std::vector<Edge> star, path;
    for (Index v = 1; v < n; ++v) {
        star.push_back({v % 2 == 0 ? 0 : v, v % 2 == 0 ? v : 0});
        path.push_back({v - 1, v});
    }
    device::Cpu cpu(2);
    const Graph of_star = simplify(cpu, n, star, {}).graph, of_path = simplify(cpu, n, path, {}).graph;
    EXPECT_EQ(of_star.offsets[1], n - 1);
    EXPECT_TRUE(std::is_sorted(of_star.targets.begin(), of_star.targets.begin() + n - 1));
    EXPECT_EQ(of_star.edges(), 2 * (n - 1));
    EXPECT_EQ(of_path.edges(), 2 * (n - 1));
    EXPECT_EQ(of_path.targets[1], 0);
    EXPECT_EQ(of_path.targets[2], 2);
}

}  // namespace
}  // namespace dunlin::graph
