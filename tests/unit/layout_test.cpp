#include <dunlin/layout.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::layout {
namespace {

/// Undirected: every pair both ways.
Graph graph_of(Index n, std::vector<std::pair<Index, Index>> edges, float weight = 1) {
    const auto pairs = edges.size();
    for (std::size_t e = 0; e < pairs; ++e) edges.emplace_back(edges[e].second, edges[e].first);
    std::sort(edges.begin(), edges.end());
    Graph graph;
    graph.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
    for (const auto& [source, target] : edges) {
        ++graph.offsets[static_cast<std::size_t>(source) + 1];
        graph.targets.push_back(target);
        graph.weights.push_back(weight);
    }
    for (std::size_t v = 1; v < graph.offsets.size(); ++v) graph.offsets[v] += graph.offsets[v - 1];
    return graph;
}

Graph path(Index n) {
    std::vector<std::pair<Index, Index>> edges;
    for (Index i = 1; i < n; ++i) edges.emplace_back(i - 1, i);
    return graph_of(n, edges);
}

double distance(const Map& map, Index a, Index b) {
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        sum += std::pow(static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c)), 2);
    }
    return std::sqrt(sum);
}

TEST(Layout, EadesSettlesAPairWhereSpringAndChargeBalance) {
    const Result r = place(path(2), {.method = Method::eades, .tolerance = 1e-10F});
    EXPECT_EQ(r.stopped, Stopped::converged);
    EXPECT_LT(r.kinetic_energy, 1e-10);
    const double d = distance(r.map, 0, 1);
    EXPECT_NEAR(2 * std::log(d), 1 / (d * d), 1e-3);
}

TEST(Layout, FruchtermanReingoldSettlesAPairAtK) {
    const Result r = place(path(2), {.method = Method::fruchterman_reingold, .length = 3});
    EXPECT_NEAR(distance(r.map, 0, 1), 3, 0.01);  // k^2 / d = d^2 / k
}

TEST(Layout, FruchtermanReingoldTakesKFromTheArea) {
    const Result r = place(path(2), {.method = Method::fruchterman_reingold, .area = 50.0F, .c = 2.0F});
    EXPECT_NEAR(r.options.length, 10, 1e-5);
    EXPECT_NEAR(distance(r.map, 0, 1), 10, 0.05);
}

TEST(Layout, AMethodRefusesWhatItDoesNotHave) {
    EXPECT_THROW(place(path(2), {.method = Method::eades, .cooling = 0.9F}), Error);
    EXPECT_THROW(place(path(2), {.method = Method::fruchterman_reingold, .damping = 0.9F}), Error);
    EXPECT_THROW(place(path(2), {.method = Method::fruchterman_reingold, .repulsion = Repulsion::grid}), Error);
}

TEST(Layout, GraphsThatAreNotUndirectedAndSimpleAreRefusedByTheirEdge) {
    Graph one_way = path(3);
    one_way.targets[0] = 2;  // 0 -> 2, and 1 -> 0
    const auto says = [](const Graph& graph, const std::string& what) {
        try {
            place(graph, {.method = Method::eades});
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
            return;
        }
        ADD_FAILURE() << what;
    };
    says(one_way, "edge 0 - 2: there is no edge back");
    Graph loop = path(3);
    loop.targets[0] = 0;
    says(loop, "edge 0 - 0");
    for (const float weight : {0.0F, -1.0F, NAN, INFINITY}) {
        Graph bad = path(3);
        bad.weights[1] = weight;
        says(bad, "edge 1 - 0: its weight is");
    }
    Graph beyond = path(3);
    beyond.targets[0] = 3;
    says(beyond, "edge 0 - 3: there are 3 vertices");
}

TEST(Layout, FewVerticesAndNoEdgesArePlaced) {
    for (const Method method : {Method::eades, Method::fruchterman_reingold}) {
        for (const int dim : {2, 3}) {
            for (const Index n : {0, 1, 2, 5}) {
                const Result r = place(graph_of(n, {}), {.method = method, .dim = dim, .iterations = 50});
                ASSERT_EQ(r.map.size(), n);
                for (const float x : r.map.coordinates) EXPECT_TRUE(std::isfinite(x));
            }
        }
    }
}

TEST(Layout, CoincidentVerticesComeApartAndPinnedOnesStay) {
    const Graph graph = path(4);
    const Map start{2, std::vector<float>(8, 1e3F)};
    const std::vector<std::uint8_t> pinned{1, 0, 0, 0};
    for (const Method method : {Method::eades, Method::fruchterman_reingold}) {
        const Result r = place(graph, {.method = method}, {}, {.start = &start, .pinned = pinned});
        EXPECT_EQ(r.map.coordinates[0], 1e3F);
        EXPECT_EQ(r.map.coordinates[1], 1e3F);
        EXPECT_GT(distance(r.map, 0, 1), 0.5);
        EXPECT_GT(distance(r.map, 1, 3), 0.5);
    }
}

TEST(Layout, SameBytesForAnyNumberOfThreads) {
    const Graph graph = path(2500);
    for (const Method method : {Method::eades, Method::fruchterman_reingold}) {
        const Options options{.method = method, .iterations = 20};
        const Map one = place(graph, options, {.threads = 1}).map;
        EXPECT_EQ(one.coordinates, place(graph, options, {.threads = 2}).map.coordinates);
        EXPECT_EQ(one.coordinates, place(graph, options, {.threads = 3}).map.coordinates);
        EXPECT_NE(one.coordinates, place(graph, options, {.seed = 2}).map.coordinates);
    }
}

TEST(Layout, ACancelledRunReturnsItsMap) {
    std::stop_source stop;
    stop.request_stop();
    const Result r = place(path(5), {.method = Method::eades}, {.stop = stop.get_token()});
    EXPECT_EQ(r.stopped, Stopped::cancelled);
    EXPECT_EQ(r.map.size(), 5);
}

}  // namespace
}  // namespace dunlin::layout
