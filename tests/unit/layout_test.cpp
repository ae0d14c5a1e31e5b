// SPDX-License-Identifier: Apache-2.0
#include <dunlin/layout.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "cases/cases.hpp"
#include "cases/graphs.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::layout {
namespace {

constexpr Method all_methods[] = {Method::multilevel, Method::forceatlas2, Method::eades, Method::fruchterman_reingold};

using made::graph_of;
using made::path;

/// A random graph with this many edges.
Graph random_graph(Index n, std::size_t edges, std::uint64_t seed) {
    const auto end = [&](std::uint64_t stream, std::uint64_t item) {
        return static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), seed + stream, item));
    };
    std::set<std::pair<Index, Index>> drawn;
    for (std::uint64_t item = 0; drawn.size() < edges; ++item) {
        const auto [low, high] = std::minmax({end(100, item), end(200, item)});
        if (low != high) drawn.emplace(low, high);
    }
    std::vector<made::Edge> list;
    for (const auto& [a, b] : drawn) list.push_back({a, b});
    return graph_of(n, list);
}

double distance(const Map& map, Index a, Index b) {
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        sum += std::pow(static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c)), 2);
    }
    return std::sqrt(sum);
}

TEST(Layout, EadesPlacesAPairWhereSpringAndChargeBalance) {
    const Result r = place(path(2), {.method = Method::eades, .tolerance = 1e-10F});
    EXPECT_EQ(r.stopped, Stopped::converged);
    EXPECT_LT(r.kinetic_energy, 1e-10);
    const double d = distance(r.map, 0, 1);
    EXPECT_NEAR(2 * std::log(d), 1 / (d * d), 1e-3);
}

TEST(Layout, EadesConvergesByDefaultOnSparseAndDenseGraphs) {
    // Sizes of Chan, So and Teper 2009, and denser graphs; with explicit steps the last four never converge
    std::vector<Graph> graphs{random_graph(256, 1599, 5), made::complete(60)};
    for (const auto& [vertices, edges] : cases::eades_graphs) {
        graphs.push_back(random_graph(vertices, static_cast<std::size_t>(edges), graphs.size() - 1));
    }
    for (const Graph& graph : graphs) {
        const Result r = place(graph, {.method = Method::eades}, {.device = Device::cpu});
        EXPECT_EQ(r.stopped, Stopped::converged) << graph.size() << ' ' << graph.edges() / 2;
        EXPECT_LT(r.kinetic_energy, cases::converged_kinetic_energy * graph.size());
    }
}

TEST(Layout, EadesDoesNotStopWhileStiffnessSlowsCoincidentVertices) {
    const Graph graph = random_graph(77, 254, 1);
    const Map start{2, std::vector<float>(2 * 77, 1)};
    const Result r = place(graph, {.method = Method::eades}, {.device = Device::cpu}, {.start = &start});
    const Result free = place(graph, {.method = Method::eades}, {.device = Device::cpu});
    EXPECT_EQ(r.stopped, Stopped::converged);
    const auto stress = [&](const Map& map) { return scores::scaled_stress(graph, map).value; };
    EXPECT_NEAR(stress(r.map), stress(free.map), 0.02);
}

TEST(Layout, FruchtermanReingoldPlacesAPairAtK) {
    const Result r = place(path(2), {.method = Method::fruchterman_reingold, .length = 3});
    EXPECT_NEAR(distance(r.map, 0, 1), 3, 0.01);  // k^2 / d = d^2 / k
}

TEST(Layout, FruchtermanReingoldTakesKFromTheArea) {
    const Result r = place(path(2), {.method = Method::fruchterman_reingold, .area = 50.0F, .c = 2.0F});
    EXPECT_NEAR(r.options.length, 10, 1e-5);
    EXPECT_NEAR(distance(r.map, 0, 1), 10, 0.05);
}

TEST(Layout, ForceAtlas2PlacesAPairWhereItsForcesBalance) {
    // Masses 2: 10 * 4 / d = d + 1 * 2 with gravity; linlog: 40 / d = log(1 + d) + 2
    const Options options{.method = Method::forceatlas2, .iterations = 3000, .tolerance = 1e-6F};
    const double d = distance(place(path(2), options).map, 0, 1);
    EXPECT_NEAR(40 / d, d + 2, 0.01);
    Options linlog = options;
    linlog.linlog = true;
    const double far = distance(place(path(2), linlog).map, 0, 1);
    EXPECT_NEAR(40 / far, std::log(1 + far) + 2, 0.01);
    EXPECT_THROW(place(path(2), {.method = Method::eades, .linlog = true}), Error);
}

TEST(Layout, ForceAtlas2PlacesAPairByItsMasses) {
    // scaling m m' / d = d; with distributed action each end is attracted by d / m, here for equal masses
    const auto apart = [](float mass, bool distributed) {
        const std::vector<float> masses{mass, mass};
        const Options options{.method = Method::forceatlas2,
                              .iterations = 3000,
                              .tolerance = 0.0F,
                              .gravity = 0.0F,
                              .scaling = 2.0F,
                              .distributed_action = distributed};
        return distance(place(path(2), options, {}, {.masses = masses}).map, 0, 1);
    };
    EXPECT_NEAR(apart(1, false), std::sqrt(2.0), 1e-2);
    EXPECT_NEAR(apart(3, false), std::sqrt(2.0 * 9), 5e-2);
    EXPECT_NEAR(apart(3, true), std::sqrt(2.0 * 27), 1e-1);
}

TEST(Layout, MassesOfTheWrongNumberSizeOrMethodAreRefused) {
    const auto refused = [](Method method, const std::vector<float>& masses) {
        return refusal(Fault::bad_input, [&] { place(path(3), {.method = method}, {}, {.masses = masses}); });
    };
    EXPECT_NE(refused(Method::forceatlas2, {1, 2}).find("masses"), std::string::npos);
    EXPECT_NE(refused(Method::forceatlas2, {1, 2, 0}).find("mass of vertex 2"), std::string::npos);
    EXPECT_NE(refused(Method::eades, {1, 2, 3}).find("masses"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [] { place(path(3), {.method = Method::eades, .distributed_action = true}); }),
              "");
}

TEST(Layout, ForceAtlas2BetweenBordersAddsBothRadiiToTheDistanceOfAPair) {
    Options options{.method = Method::forceatlas2, .iterations = 5000, .tolerance = 1e-6F, .prevent_overlap = true};
    const std::vector<float> radii{1, 2.5F};
    for (const int dim : {2, 3}) {
        options.dim = dim;
        const double d = distance(place(path(2), options, {}, {.radii = radii}).map, 0, 1) - 3.5;
        EXPECT_NEAR(40 / d, d + 2, 0.02);  // as between points
    }
}

TEST(Layout, ForceAtlas2KeepsDiscsApartWhenAsked) {
    // A dense graph of discs that fill a fifth of the map
    const Graph graph = random_graph(80, 600, 6);
    std::vector<float> radii;
    for (int i = 0; i < 80; ++i) radii.push_back(i % 2 == 0 ? 20.0F : 5.0F);
    const auto overlapping = [&](bool prevent) {
        const Options options{.method = Method::forceatlas2, .gravity = 30.0F, .prevent_overlap = prevent};
        const Map map = place(graph, options, {}, {.radii = radii}).map;
        int count = 0;
        for (Index a = 0; a < graph.size(); ++a) {
            for (Index b = 0; b < a; ++b) {
                const float reach = radii[static_cast<std::size_t>(a)] + radii[static_cast<std::size_t>(b)];
                count += distance(map, a, b) < 0.99 * double{reach} ? 1 : 0;
            }
        }
        return count;
    };
    EXPECT_GT(overlapping(false), 50);
    EXPECT_EQ(overlapping(true), 0);
}

TEST(Layout, PreventingOverlapNeedsRadii) {
    const std::vector<float> radii{1, 1};
    const Options options{.method = Method::forceatlas2, .prevent_overlap = true};
    EXPECT_THROW(place(path(2), options), Error);
    EXPECT_THROW(place(path(2), {.prevent_overlap = true}, {}, {.radii = radii}), Error);  // multilevel
    EXPECT_EQ(place(graph_of(0, {}), options).map.size(), 0);
}

TEST(Layout, MultilevelUnfoldsAGrid) {
    // A perfect square grid has about 0.04 of scaled stress: path lengths against Euclidean distances
    for (const Index width : {8, 40}) {
        const Graph graph = made::lattice(width, width);
        const Result r = place(graph, {}, {.device = Device::cpu});
        EXPECT_LT(scores::scaled_stress(graph, r.map).value, 0.025);
        EXPECT_GT(scores::neighborhood_preservation(graph, r.map).value, 0.95);
        EXPECT_EQ(scores::crossings(graph, r.map).value, 0);
    }
}

TEST(Layout, MultilevelHasEdgesOfEvenLength) {
    const Graph square = made::lattice(17, 17);
    EXPECT_LT(scores::edge_length_cv(square, place(square, {}).map).value,
              0.12);  // 0.16 without the final smoothing step
}

TEST(Layout, NearnessGrowsWithTheGraph) {
    EXPECT_FLOAT_EQ(*place(path(100), {.iterations = 0}).options.nearness, 11);
    EXPECT_FLOAT_EQ(*place(path(100000), {.iterations = 0}).options.nearness, 20);
}

TEST(Layout, MultilevelScalesEdgesToTheIdealLength) {
    const Graph graph = made::lattice(10, 10);
    const Map map = place(graph, {.length = 5}, {.device = Device::cpu}).map;
    double sum = 0;
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(v)]; e < graph.offsets[static_cast<std::size_t>(v) + 1];
             ++e)
            sum += distance(map, v, graph.targets[static_cast<std::size_t>(e)]);
    }
    EXPECT_NEAR(sum / static_cast<double>(graph.edges()), 5, 1e-3);
}

TEST(Layout, IdealLengthsAreUsed) {
    // A square whose two sides should be three times as long
    Graph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
    graph.weights = {1, 3, 1, 3, 3, 1, 3, 1};
    const Map map = place(graph, {.weights = Weights::length}, {.device = Device::cpu}).map;
    EXPECT_GT(distance(map, 1, 2), 1.5 * distance(map, 0, 1));
    EXPECT_GT(distance(map, 0, 3), 1.5 * distance(map, 2, 3));
}

TEST(Layout, ComponentsLieApart) {
    const Graph graph = graph_of(7, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}});
    for (const Method method : all_methods) {
        const Map map = place(graph, {.method = method}, {.device = Device::cpu}).map;
        for (Index i = 0; i < 3; ++i) {
            for (Index j = 3; j < 7; ++j) EXPECT_GT(distance(map, i, j), 0.5);
        }
    }
}

TEST(Layout, ComponentsBesideALargeOneAreDrawnSmaller) {
    std::vector<made::Edge> edges;  // a star of 80 vertices and 20 pairs
    for (Index leaf = 1; leaf < 80; ++leaf) edges.push_back({0, leaf});
    for (Index v = 80; v < 120; v += 2) edges.push_back({v, v + 1});
    const Graph graph = graph_of(120, edges);
    for (const int dim : {2, 3}) {
        const Result smaller = place(graph, {.dim = dim}, {.device = Device::cpu});
        EXPECT_LT(smaller.component_scale, 1);
        EXPECT_NEAR(distance(smaller.map, 80, 81), smaller.component_scale, 1e-3);
        EXPECT_EQ(place(graph, {.dim = dim, .pack = Pack::lengths}, {.device = Device::cpu}).component_scale, 1);
        EXPECT_EQ(place(graph, {.dim = dim, .weights = Weights::length}, {.device = Device::cpu}).component_scale, 1);
        const std::vector<float> radii(120, 0.1F);
        EXPECT_EQ(place(graph, {.dim = dim}, {.device = Device::cpu}, {.radii = radii}).component_scale, 1);
    }
}

TEST(Layout, LeavesOfAStarDoNotShareAPlace) {
    const Map map = place(made::star(2000), {}, {.device = Device::cpu}).map;
    std::set<std::pair<float, float>> places;
    for (Index i = 0; i < 2000; ++i) places.emplace(map.view()(i, 0), map.view()(i, 1));
    EXPECT_EQ(places.size(), 2000U);
}

TEST(Layout, APairIsItsEdgesLengthApart) {
    for (const int dim : {2, 3}) {
        Graph pair = graph_of(4, {{0, 1}, {2, 3}});
        pair.weights = {1, 1, 3, 3};  // as lengths, of mean 2
        const Map map = place(pair, {.dim = dim, .weights = Weights::length}, {.device = Device::cpu}).map;
        const auto apart = [&](Index i, Index j) {
            double r2 = 0;
            for (int c = 0; c < dim; ++c) r2 += std::pow(double{map.view()(i, c)} - double{map.view()(j, c)}, 2);
            return std::sqrt(r2);
        };
        EXPECT_NEAR(apart(0, 1), 0.5, 1e-5);
        EXPECT_NEAR(apart(2, 3), 1.5, 1e-5);
    }
}

TEST(Layout, AFlatStartIsRefusedWhereThreeDimensionsAreWanted) {
    const Map flat{2, std::vector<float>(6, 1)}, deep{3, std::vector<float>(9, 1)};
    EXPECT_THROW(place(path(3), {.dim = 3}, {}, {.start = &flat}), Error);
    EXPECT_EQ(place(path(3), {}, {}, {.start = &deep}).map.dim, 3);
}

TEST(Layout, AStartBeyondFloatPrecisionIsRefused) {
    const Map far{2, {1e30F, 0, 0, 1e30F, 1, 1}}, near{2, {1e6F, 0, 0, 1e6F, 1, 1}};
    for (const Method method : all_methods) {
        EXPECT_THROW(place(path(3), {.method = method}, {}, {.start = &far}), Error);
        EXPECT_NO_THROW(place(path(3), {.method = method}, {}, {.start = &near}));
    }
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
        const auto said = refusal([&] { place(graph, {.method = Method::eades}); });
        EXPECT_NE(said.find(what), std::string::npos) << said;
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
    for (const Method method : all_methods) {
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
    for (const Method method : all_methods) {
        const Result r = place(graph, {.method = method}, {}, {.start = &start, .pinned = pinned});
        EXPECT_EQ(r.map.coordinates[0], 1e3F);
        EXPECT_EQ(r.map.coordinates[1], 1e3F);
        EXPECT_GT(distance(r.map, 0, 1), 0.5);
        EXPECT_GT(distance(r.map, 1, 3), 0.5);
    }
}

TEST(Layout, PinnedVerticesDoNotMove) {
    const Map start{3, {0, 0, 0, 5, 1, 2, -3, 1e4F, 0, 7, 7, 7, 7, 7, 7}};
    const std::vector<std::uint8_t> pinned(5, 1);
    for (std::size_t m = 0; m < names(Method{}).size(); ++m) {
        const Options options{.method = static_cast<Method>(m), .dim = 3};
        const Map map =
            place(graph_of(5, {{0, 1}, {1, 2}, {3, 4}}), options, {}, {.start = &start, .pinned = pinned}).map;
        EXPECT_EQ(map.coordinates, start.coordinates) << name_of(options.method);
    }
}

TEST(Layout, SameBytesForAnyNumberOfThreads) {
    const Graph graph = path(2500);
    for (const Method method : all_methods) {
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
