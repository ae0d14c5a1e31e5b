// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cases/communities.hpp"

/// What is found, against the definitions.
namespace dunlin::communities {
namespace {

using Square = std::vector<std::vector<double>>;

/// Calls visit(labels) for every partition of n vertices.
void each_partition(Index n, const std::function<void(const std::vector<Index>&)>& visit) {
    std::vector<Index> labels(static_cast<std::size_t>(n));
    const std::function<void(std::size_t, Index)> extend = [&](std::size_t v, Index count) {
        if (v == labels.size()) return visit(labels);
        for (Index label = 0; label <= count; ++label) {
            labels[v] = label;
            extend(v + 1, std::max(count, label + 1));
        }
    };
    extend(0, 0);
}

double best_quality(const Square& weights, double resolution, Quality quality) {
    double best = -std::numeric_limits<double>::infinity();
    each_partition(static_cast<Index>(weights.size()), [&](const std::vector<Index>& labels) {
        best = std::max(best, made::quality_of(weights, labels, resolution, quality));
    });
    return best;
}

/// The most that the quality gains if one vertex moves to another community, or to one of its own.
double best_move(const Square& weights, std::vector<Index> labels, double resolution, Quality quality) {
    const double now = made::quality_of(weights, labels, resolution, quality);
    const Index count = *std::max_element(labels.begin(), labels.end()) + 1;
    double most = -std::numeric_limits<double>::infinity();
    for (Index& label : labels) {
        const Index own = label;
        for (label = 0; label <= count; ++label) {
            if (label != own) most = std::max(most, made::quality_of(weights, labels, resolution, quality) - now);
        }
        label = own;
    }
    return most;
}

/// Random edges between few vertices, with loops.
Graph small_graph(Index n, std::uint64_t seed) {
    Graph graph;
    Square weights(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j <= i; ++j) {
            const std::uint64_t bits =
                math::random_bits(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
            if (bits % 5 < 2)
                weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
                    static_cast<double>(1 + bits / 5 % 3);
        }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
        for (std::size_t j = 0; j < weights.size(); ++j) {
            const double weight = std::max(weights[i][j], weights[j][i]);
            if (weight == 0) continue;
            graph.targets.push_back(static_cast<Index>(j));
            graph.weights.push_back(static_cast<float>(weight));
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

TEST(CommunitiesQuality, TheBestOfSomeSeedsIsTheBestOfAllPartitions) {
    struct Aim {
        Quality quality;
        double resolution;
    };
    for (const Aim aim : {Aim{Quality::modularity, 1}, Aim{Quality::modularity, 0.4}, Aim{Quality::modularity, 2.5},
                          Aim{Quality::cpm, 0.5}, Aim{Quality::cpm, 1.7}}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const Index n = 5 + static_cast<Index>(seed) / 2 * 2;
            const Graph graph = small_graph(n, seed);
            const Square weights = made::square_of(graph);
            const double best = best_quality(weights, aim.resolution, aim.quality);
            double found = -std::numeric_limits<double>::infinity();
            for (std::uint64_t run = 1; run <= 24; ++run) {
                const Result result = find(
                    graph, {.resolution = aim.resolution, .iterations = -1, .quality = aim.quality}, {.seed = run});
                EXPECT_NEAR(result.quality, made::quality_of(weights, result.labels, aim.resolution, aim.quality),
                            1e-9);
                found = std::max(found, result.quality);
            }
            EXPECT_NEAR(found, best, 1e-9) << name_of(aim.quality) << " at " << aim.resolution << ", graph " << seed;
        }
    }
}

TEST(CommunitiesQuality, TheKarateClubHasItsBestPartition) {
    const Graph graph = made::karate();
    double mean = 0, best = 0;
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
        const Result result = find(graph, {}, {.seed = seed});
        EXPECT_NEAR(result.modularity, made::quality_of(made::square_of(graph), result.labels), 1e-12);
        EXPECT_DOUBLE_EQ(result.modularity, result.quality);
        mean += result.modularity / 32;
        best = std::max(best, result.modularity);
    }
    EXPECT_NEAR(best, 0.419790, 1e-6);
    EXPECT_GT(mean, 0.4188);
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
        EXPECT_NEAR(find(graph, {.iterations = -1}, {.seed = seed}).modularity, 0.419790, 1e-6);
}

TEST(CommunitiesQuality, NoVertexGainsAfterAllIterations) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Graph graph = made::planted(90, 15, 3, 3, seed);
        const Square weights = made::square_of(graph);
        for (const Method method : {Method::leiden, Method::louvain}) {
            for (const Quality quality : {Quality::modularity, Quality::cpm}) {
                const double resolution = quality == Quality::cpm ? 0.3 : 1.0;
                const Result result =
                    find(graph, {.resolution = resolution, .iterations = -1, .method = method, .quality = quality},
                         {.seed = seed});
                EXPECT_LT(best_move(weights, result.labels, resolution, quality), 1e-12);
                EXPECT_EQ(result.stopped, Stopped::converged);
                EXPECT_NEAR(result.modularity, made::quality_of(weights, result.labels), 1e-12);
                EXPECT_NEAR(result.quality, made::quality_of(weights, result.labels, resolution, quality), 1e-9);
            }
        }
    }
}

TEST(CommunitiesQuality, EveryCommunityIsConnected) {
    for (const Graph& graph : {made::planted(3000, 30, 4, 4, 1), made::power_law_graph(3000, 9000),
                               made::lattice(50, 40), made::star(500)}) {
        for (const Method method : {Method::leiden, Method::louvain}) {
            for (std::uint64_t seed = 1; seed <= 5; ++seed)
                EXPECT_EQ(made::disconnected(graph, find(graph, {.method = method}, {.seed = seed}).labels), 0);
        }
    }
}

TEST(CommunitiesQuality, LevelsAreNested) {
    const Graph graph = made::planted(3000, 30, 4, 3, 1);
    for (const Method method : {Method::leiden, Method::louvain}) {
        for (const int iterations : {0, 2, -1}) {
            const Result result = find(graph, {.iterations = iterations, .method = method});
            ASSERT_FALSE(result.levels.empty());
            EXPECT_EQ(result.levels.back(), result.labels);
            for (std::size_t l = 0; l + 1 < result.levels.size(); ++l) {
                std::vector<Index> above(3000, -1);
                for (std::size_t v = 0; v < 3000; ++v) {
                    Index& label = above[static_cast<std::size_t>(result.levels[l][v])];
                    if (label < 0) label = result.levels[l + 1][v];
                    EXPECT_EQ(label, result.levels[l + 1][v]);
                }
            }
        }
    }
}

TEST(CommunitiesQuality, LabelsFallInSize) {
    const Result result = find(made::planted(2000, 25, 4, 3, 5));
    std::vector<Index> sizes(static_cast<std::size_t>(result.count)), first(sizes.size(), -1);
    for (std::size_t v = 0; v < result.labels.size(); ++v) {
        const auto label = static_cast<std::size_t>(result.labels[v]);
        ++sizes[label];
        if (first[label] < 0) first[label] = static_cast<Index>(v);
    }
    for (std::size_t c = 1; c < sizes.size(); ++c) {
        EXPECT_GE(sizes[c - 1], sizes[c]);
        if (sizes[c - 1] == sizes[c]) {
            EXPECT_LT(first[c - 1], first[c]);
        }
    }
}

TEST(CommunitiesQuality, PlantedGroupsAreFound) {
    const Graph graph = made::planted(2000, 100, 10, 2, 3);
    const Result result = find(graph);
    EXPECT_EQ(result.count, 20);
    for (std::size_t v = 20; v < 2000; ++v) EXPECT_EQ(result.labels[v], result.labels[v % 20]);
}

TEST(CommunitiesQuality, LeidenIsAtLeastAsGoodAsTheSequentialMethodOnAverage) {
    const Graph graph = made::power_law_graph(4000, 12000);
    const double sequential = find(graph, {.method = Method::sequential}).modularity;
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) mean += find(graph, {}, {.seed = seed}).modularity / 8;
    EXPECT_GT(mean, sequential);
}

TEST(CommunitiesQuality, AStartIsKeptOrImproved) {
    const Graph graph = made::planted(1000, 50, 5, 4, 2);
    const Result first = find(graph);
    const Result same = find(graph, {.iterations = 0}, {}, first.labels);
    EXPECT_EQ(same.labels, first.labels);
    EXPECT_DOUBLE_EQ(same.quality, first.quality);
    for (std::uint64_t seed = 2; seed <= 5; ++seed)
        EXPECT_GE(find(graph, {}, {.seed = seed}, first.labels).quality, first.quality);
    const std::vector<Index> halves{0, 0, 0, -7, -7, -7};  // any numbers; two paths
    const Graph paths = made::graph_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}});
    EXPECT_EQ(find(paths, {}, {}, halves).labels, (std::vector<Index>{0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace dunlin::communities
