// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "cases/cases.hpp"
#include "graph/symmetrize.hpp"
#include "math/exp.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {
namespace {

/// n points with k neighbors each and random ascending distances, scaled.
Graph random_neighbors(Index n, Index k, float scale = 1, float offset = 0) {
    Graph graph;
    for (Index i = 0; i < n; ++i) {
        float distance = offset;
        for (Index j = 1; j <= k; ++j) {
            distance += scale * static_cast<float>(math::random_uniform(7, static_cast<std::uint64_t>(i),
                                                                        static_cast<std::uint64_t>(j)));
            graph.targets.push_back((i + j) % n);
            graph.weights.push_back(distance);
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

Graph with_equal_distances(Index n, Index k, float distance) {
    Graph graph = random_neighbors(n, k);
    std::fill(graph.weights.begin(), graph.weights.end(), distance);
    return graph;
}

double perplexity_of(std::span<const float> p) {
    double entropy = 0;
    for (const float value : p) entropy -= value > 0 ? value * std::log(static_cast<double>(value)) : 0.0;
    return std::exp(entropy);
}

TEST(ExpOfNegative, AgreesWithTheLibrary) {
    for (float x = 0; x > -90; x -= 0.0137F) {
        EXPECT_NEAR(math::exp_of_negative(x), std::exp(x), 3e-7F * std::exp(x) + 1e-37F) << x;
    }
    EXPECT_EQ(math::exp_of_negative(0), 1.0F);
    EXPECT_EQ(math::exp_of_negative(-1e30F), 0.0F);
}

TEST(Perplexity, EveryRowReachesIt) {
    device::Cpu cpu(2);
    for (const float scale : {1e-30F, 1e-3F, 1.0F, 1e3F, 1e15F}) {
        const Graph graph = random_neighbors(500, 90, scale);
        for (const float perplexity : {2.0F, 30.0F, 80.0F}) {
            const auto p = conditional_affinities(cpu, graph, perplexity);
            for (std::size_t i = 0; i < 500; ++i) {
                const std::span<const float> row(p.data() + i * 90, 90);
                EXPECT_NEAR(perplexity_of(row), perplexity, 1e-3 * perplexity) << scale;
                EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
            }
        }
    }
}

TEST(Perplexity, DistancesThatDifferInTheirLastDigitsStillCount) {
    device::Cpu cpu(1);
    const auto p = conditional_affinities(cpu, random_neighbors(50, 90, 0.01F, 1000.0F), 30);
    EXPECT_NEAR(perplexity_of({p.data(), 90}), 30, 0.3);
}

TEST(Perplexity, EqualDistancesGiveAUniformRow) {
    device::Cpu cpu(1);
    for (const float distance : {0.0F, 1e-38F, 5.0F, 1e30F}) {
        const auto p = conditional_affinities(cpu, with_equal_distances(40, 12, distance), 5);
        for (const float value : p) EXPECT_FLOAT_EQ(value, 1.0F / 12);
    }
}

TEST(Perplexity, MoreNearestDuplicatesThanThePerplexityGiveTheUniformLimitOverThem) {
    device::Cpu cpu(1);
    Graph graph = with_equal_distances(40, 20, 0.0F);
    for (Index i = 0; i < 40; ++i) {
        for (Index j = 12; j < 20; ++j) graph.weights[static_cast<std::size_t>(i * 20 + j)] = 3.0F;
    }
    const auto p = conditional_affinities(cpu, graph, 5);
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(p[j], 1.0F / 12, 1e-5F);
    for (std::size_t j = 12; j < 20; ++j) EXPECT_NEAR(p[j], 0, 1e-6F);
}

TEST(Affinities, SumToOneAreSymmetricAndMerged) {
    const Graph p = affinities(random_neighbors(1000, 90), 30);
    EXPECT_NEAR(std::accumulate(p.weights.begin(), p.weights.end(), 0.0), 1.0, cases::affinity_sum);
    for (Index i = 0; i < p.size(); ++i) {
        for (Offset e = p.offsets[static_cast<std::size_t>(i)]; e < p.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const Index j = p.targets[static_cast<std::size_t>(e)];
            if (e > p.offsets[static_cast<std::size_t>(i)]) {
                EXPECT_LT(p.targets[static_cast<std::size_t>(e) - 1], j);
            }
            const auto first = p.targets.begin() + p.offsets[static_cast<std::size_t>(j)];
            const auto last = p.targets.begin() + p.offsets[static_cast<std::size_t>(j) + 1];
            const auto back = std::lower_bound(first, last, i);
            ASSERT_TRUE(back != last && *back == i);
            EXPECT_EQ(p.weights[static_cast<std::size_t>(back - p.targets.begin())],
                      p.weights[static_cast<std::size_t>(e)]);
        }
    }
}

TEST(Affinities, HaveTheSameBytesForAnyNumberOfThreads) {
    const Graph neighbors = random_neighbors(5000, 30);
    const Graph one = affinities(neighbors, 10, {.threads = 1});
    for (const int threads : {2, 3}) {
        const Graph other = affinities(neighbors, 10, {.threads = threads});
        EXPECT_EQ(one.targets, other.targets);
        EXPECT_EQ(one.weights, other.weights);
    }
}

TEST(Affinities, RefuseAPerplexityThatTheNeighborsCannotGiveAndNameTheLargest) {
    const auto said = refusal(Fault::bad_input, [] { affinities(random_neighbors(100, 15), 30); });
    EXPECT_NE(said.find("1 to 15"), std::string::npos) << said;
}

TEST(Symmetrize, ByHand) {
    // 0 -> 1 (1), 0 -> 2 (2), 1 -> 0 (4), 2 has none
    const Graph a{{0, 2, 3, 3}, {2, 1, 0}, {}};
    const std::vector<float> weights{2, 1, 4};
    device::Cpu cpu(2);
    const Graph s = graph::symmetrize(cpu, a, weights, graph::ScaledSum{0.5});
    EXPECT_EQ(s.offsets, (std::vector<Offset>{0, 2, 3, 4}));
    EXPECT_EQ(s.targets, (std::vector<Index>{1, 2, 0, 0}));
    EXPECT_EQ(s.weights, (std::vector<float>{2.5F, 1.0F, 2.5F, 1.0F}));
}

TEST(Symmetrize, EmptyAndLonelyGraphs) {
    device::Cpu cpu(1);
    EXPECT_EQ(graph::symmetrize(cpu, Graph{}, {}, graph::ScaledSum{}).size(), 0);
    EXPECT_EQ(graph::symmetrize(cpu, Graph{{0, 0}, {}, {}}, {}, graph::ScaledSum{}).edges(), 0);
}

}  // namespace
}  // namespace dunlin::tsne
