// SPDX-License-Identifier: Apache-2.0
#include "graph/components.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "math/rng.hpp"

namespace dunlin::graph {
namespace {

/// A graph with every edge in one direction.
Graph graph_of(Index n, std::vector<std::pair<Index, Index>> edges) {
    std::sort(edges.begin(), edges.end());
    Graph graph;
    graph.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
    for (const auto& [from, to] : edges) {
        ++graph.offsets[static_cast<std::size_t>(from) + 1];
        graph.targets.push_back(to);
        graph.weights.push_back(1);
    }
    for (std::size_t v = 0; v < static_cast<std::size_t>(n); ++v) graph.offsets[v + 1] += graph.offsets[v];
    return graph;
}

/// Reference: propagates the smallest index along edges until nothing changes.
std::vector<Index> slowly(const Graph& graph) {
    std::vector<Index> of(static_cast<std::size_t>(graph.size()));
    for (std::size_t v = 0; v < of.size(); ++v) of[v] = static_cast<Index>(v);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t v = 0; v < of.size(); ++v) {
            for (Offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
                Index& other = of[static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])];
                if (other == of[v]) continue;
                other = of[v] = std::min(other, of[v]);
                changed = true;
            }
        }
    }
    return of;
}

TEST(Components, AreNumberedByTheirFirstVertices) {
    device::Cpu cpu(2);
    const Components found = components(cpu, graph_of(7, {{5, 1}, {3, 5}, {6, 0}}));
    EXPECT_EQ(found.of, (std::vector<Index>{0, 1, 2, 1, 3, 1, 0}));
    EXPECT_EQ(found.offsets, (std::vector<Offset>{0, 2, 5, 6, 7}));
    EXPECT_EQ(found.members, (std::vector<Index>{0, 6, 1, 3, 5, 2, 4}));
    EXPECT_EQ(found.count(), 4);
    EXPECT_EQ(found.members_of(1).back(), 5);
}

TEST(Components, AnEmptyGraphHasNone) {
    device::Cpu cpu(1);
    EXPECT_EQ(components(cpu, Graph{}).count(), 0);
    EXPECT_EQ(components(cpu, graph_of(3, {})).count(), 3);
}

TEST(Components, OfALongPathWrittenBackwardsIsOne) {
    constexpr Index n = 100000;
    std::vector<std::pair<Index, Index>> edges;
    for (Index v = 1; v < n; ++v) edges.emplace_back(v, v - 1);
    device::Cpu cpu(4);
    EXPECT_EQ(components(cpu, graph_of(n, edges)).count(), 1);
}

TEST(Components, OfRandomGraphsAgreeWithTheReference) {
    constexpr Index n = 3000;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        std::vector<std::pair<Index, Index>> edges;
        for (std::uint64_t e = 0; e < n / 2 * seed; ++e) {
            edges.emplace_back(math::random_below(n, seed, e, 0), math::random_below(n, seed, e, 1));
        }
        const Graph graph = graph_of(n, edges);
        const std::vector<Index> smallest = slowly(graph);
        for (const int threads : {1, 4}) {
            device::Cpu cpu(threads);
            const Components found = components(cpu, graph);
            Index count = 0;
            for (Index v = 0; v < n; ++v) {
                const auto at = static_cast<std::size_t>(v);
                if (smallest[at] == v) ++count;
                EXPECT_EQ(found.members_of(found.of[at]).front(), smallest[at]);
            }
            EXPECT_EQ(found.count(), count);
        }
    }
}

}  // namespace
}  // namespace dunlin::graph
