// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases/communities.hpp"
#include "refusal.hpp"

/// Which graphs are taken, and what their edges mean.
namespace dunlin::communities {
namespace {

/// Edges as they are listed.
Graph listed(Index n, const std::vector<made::Edge>& edges) {
    Graph graph;
    for (Index v = 0; v < n; ++v) {
        for (const made::Edge& edge : edges) {
            if (edge.from != v) continue;
            graph.targets.push_back(edge.to);
            graph.weights.push_back(edge.weight);
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

constexpr Symmetrize all_rules[] = {Symmetrize::either, Symmetrize::sum, Symmetrize::mutual};

TEST(CommunitiesInput, SmallestGraphs) {
    for (const Method method : {Method::leiden, Method::louvain, Method::sequential}) {
        const Options options{.method = method};
        const Result none = find({}, options);
        EXPECT_TRUE(none.labels.empty());
        EXPECT_EQ(none.count, 0);
        EXPECT_TRUE(std::isnan(none.modularity));
        const Result one = find(listed(1, {}), options);
        EXPECT_EQ(one.labels, (std::vector<Index>{0}));
        EXPECT_TRUE(std::isnan(one.modularity));
        const Result two = find(listed(2, {{0, 1}, {1, 0}}), options);
        EXPECT_EQ(two.labels, (std::vector<Index>{0, 0}));
        EXPECT_DOUBLE_EQ(two.modularity, 0);
        EXPECT_EQ(find(listed(2, {}), options).labels, (std::vector<Index>{0, 1}));
    }
    EXPECT_EQ(find(listed(1, {{0, 0, 3}})).labels, (std::vector<Index>{0}));
    EXPECT_TRUE(std::isnan(find(listed(2, {}), {.quality = Quality::cpm}).quality));
}

TEST(CommunitiesInput, IsolatedVerticesAreAlone) {
    const Result result = find(listed(5, {{1, 3}, {3, 1}}));
    EXPECT_EQ(result.labels, (std::vector<Index>{1, 0, 2, 0, 3}));
    EXPECT_EQ(result.count, 4);
    EXPECT_EQ(result.levels.back(), result.labels);
}

TEST(CommunitiesInput, EdgesInOneDirectionAreMadeSymmetric) {
    const Graph one_way = listed(4, {{0, 1, 2}, {1, 0, 6}, {1, 2, 1}, {2, 3, 5}});
    const Graph larger = made::graph_of(4, {{0, 1, 6}, {1, 2, 1}, {2, 3, 5}});
    const Graph sum = made::graph_of(4, {{0, 1, 8}, {1, 2, 1}, {2, 3, 5}});
    const Graph smaller = made::graph_of(4, {{0, 1, 2}});
    const Graph* const wanted[] = {&larger, &sum, &smaller};
    for (std::size_t r = 0; r < 3; ++r) {
        const Result result = find(one_way, {.symmetrize = all_rules[r]});
        EXPECT_EQ(result.labels, find(*wanted[r]).labels);
        EXPECT_NEAR(result.modularity, made::quality_of(made::square_of(*wanted[r]), result.labels), 1e-12);
    }
}

TEST(CommunitiesInput, UndirectedGraphsAreTheSameByEveryRule) {
    const Graph graph = made::planted(300, 20, 4, 3, 4);
    const Result result = find(graph);
    for (const Symmetrize rule : all_rules) {
        const Result same = find(graph, {.symmetrize = rule});
        EXPECT_EQ(same.labels, result.labels);
        EXPECT_DOUBLE_EQ(same.modularity, result.modularity);
    }
    const double once = find(graph, {.resolution = 0.5, .quality = Quality::cpm}).quality;
    const Result twice = find(graph, {.resolution = 1, .quality = Quality::cpm, .symmetrize = Symmetrize::sum});
    EXPECT_NEAR(twice.quality, once, 1e-12);  // all weights are doubled
}

TEST(CommunitiesInput, TheOrderOfARowDoesNotMatter) {
    Graph graph = made::planted(300, 20, 4, 3, 4);
    const Result result = find(graph);
    for (Index v = 0; v < graph.size(); ++v) {
        const auto first = graph.offsets[static_cast<std::size_t>(v)],
                   last = graph.offsets[static_cast<std::size_t>(v) + 1];
        std::reverse(graph.targets.begin() + first, graph.targets.begin() + last);
        std::reverse(graph.weights.begin() + first, graph.weights.begin() + last);
    }
    EXPECT_EQ(find(graph).labels, result.labels);
}

TEST(CommunitiesInput, RepeatedEdgesAddUp) {
    const Graph repeated = listed(4, {{0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 2, 2}, {2, 1}, {2, 1}, {2, 3, 4}, {3, 2, 4}});
    const Graph merged = made::graph_of(4, {{0, 1, 3}, {1, 2, 2}, {2, 3, 4}});
    const Result result = find(repeated);
    EXPECT_EQ(result.labels, find(merged).labels);
    EXPECT_NEAR(result.modularity, made::quality_of(made::square_of(merged), result.labels), 1e-12);
}

TEST(CommunitiesInput, LoopsCountTwiceInDegrees) {
    const std::vector<made::Edge> edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}};
    std::vector<made::Edge> with_loops = edges;
    with_loops.insert(with_loops.end(), {{0, 0, 2}, {3, 3, 1.5F}});
    const Graph graph = listed(4, with_loops);
    const Result result = find(graph);
    EXPECT_NEAR(result.modularity, made::quality_of(made::square_of(graph), result.labels), 1e-12);
    const Result alone = find(listed(2, {{0, 0, 1}, {1, 1, 1}, {0, 1, 0.5F}, {1, 0, 0.5F}}));
    EXPECT_EQ(alone.count, 2);  // 1/2m (2 - 2.5 2.5 / 5) each: .3 in all, and 0 together
    EXPECT_NEAR(alone.modularity, 0.3, 1e-12);
}

TEST(CommunitiesInput, EdgesOfWeightZeroDoNotCount) {
    const Graph graph = listed(3, {{0, 1, 1}, {1, 0, 1}, {1, 2, 0}, {2, 1, 0}});
    EXPECT_EQ(find(graph).labels, (std::vector<Index>{0, 0, 1}));
}

TEST(CommunitiesInput, WeightsOfAnySize) {
    const Graph graph = made::planted(300, 20, 4, 3, 4);
    const Result result = find(graph);
    for (const float factor : {1e-35F, 1e30F}) {
        Graph scaled = graph;
        for (float& weight : scaled.weights) weight *= factor;
        EXPECT_NEAR(find(scaled).modularity, result.modularity, 0.02);
    }
    Graph unequal = made::graph_of(4, {{0, 1, 1e-30F}, {1, 2, 1e-38F}, {2, 3, 1e30F}});
    EXPECT_EQ(find(unequal).count, 2);  // edges too light for a unit have one
    unequal = made::graph_of(3, {{0, 1, 3e38F}, {1, 2, 3e38F}});
    EXPECT_EQ(find(unequal).count, 1);
}

TEST(CommunitiesInput, ExtremeResolutions) {
    const Graph graph = made::planted(300, 20, 4, 3, 4);
    const Index components = graph::components(graph).count();
    for (const Quality quality : {Quality::modularity, Quality::cpm}) {
        EXPECT_EQ(find(graph, {.resolution = 0, .quality = quality}).count, components);
        EXPECT_EQ(find(graph, {.resolution = 1e-12, .quality = quality}).count, components);
        for (const double resolution : {1e6, 1e9})
            EXPECT_EQ(find(graph, {.resolution = resolution, .quality = quality}).count, 300);
    }
}

TEST(CommunitiesInput, NamesWhatIsWrong) {
    const auto of = [](Graph graph, Options options = {}) {
        return refusal(Fault::bad_input, [&] { find(graph, options); });
    };
    const Graph graph = made::path(3);
    Graph wrong = graph;
    wrong.weights[2] = -1;
    EXPECT_EQ(of(wrong).find("communities: edge 1 - 2 has the weight -1; it must be finite and at least 0"), 0U);
    wrong.weights[2] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(of(wrong).find("communities: edge 1 - 2 has the weight nan"), 0U);
    wrong.weights[2] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(of(wrong).find("communities: edge 1 - 2 has the weight inf"), 0U);
    wrong = graph;
    wrong.targets[0] = 3;
    EXPECT_EQ(of(wrong), "communities: edge 0 - 3: there are 3 vertices, from 0");
    wrong.targets[0] = -1;
    EXPECT_EQ(of(wrong), "communities: edge 0 - -1: there are 3 vertices, from 0");
    wrong = graph;
    wrong.weights.pop_back();
    EXPECT_NE(of(wrong), "");
    wrong = graph;
    std::swap(wrong.offsets[1], wrong.offsets[2]);
    EXPECT_NE(of(wrong), "");
    wrong.offsets.clear();
    EXPECT_NE(of(wrong), "");
    EXPECT_NE(of(graph, {.resolution = -1}), "");
    EXPECT_NE(of(graph, {.resolution = std::numeric_limits<double>::quiet_NaN()}), "");
    EXPECT_NE(of(graph, {.iterations = -2}), "");
    EXPECT_NE(of(graph, {.resolution = 2, .method = Method::sequential}), "");
    const std::vector<Index> two{0, 1};
    EXPECT_EQ(refusal(Fault::bad_input, [&] { find(graph, {}, {}, two); }),
              "communities: the start has 2 labels for 3 vertices; give one for each");
    EXPECT_NE(refusal(Fault::bad_input, [&] { find(graph, {.method = Method::sequential}, {}, {{0, 1, 1}}); }), "");
    EXPECT_NE(refusal(Fault::no_device, [&] { find(graph, {}, {.device = Device::cuda}); }), "");
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { find(graph, {}, {.memory = 100}); }), "");
}

}  // namespace
}  // namespace dunlin::communities
