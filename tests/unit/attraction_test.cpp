// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/attraction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases/graphs.hpp"
#include "cases/maps.hpp"
#include "forces/attraction/edge_batch.hpp"
#include "forces/attraction/reference.hpp"
#include "math/fast_log.hpp"
#include "math/rng.hpp"

namespace dunlin::forces {
namespace {

struct Attraction {
    std::vector<float> force;
    double cost = 0;
};

Attraction attraction(const Graph& graph, const std::vector<float>& y, int dim, int threads = 1) {
    device::Cpu cpu(threads);
    Attraction result{std::vector<float>(y.size(), NAN), 0};
    attract(cpu, StudentT(), graph, {y.data(), graph.size(), dim}, {result.force.data(), graph.size(), dim});
    device::Cell<double> cost;
    attract_cost(cpu, StudentT(), graph, {y.data(), graph.size(), dim}, cost);
    result.cost = cost.value;
    return result;
}

std::vector<float> cloud(Index n, int dim) { return made::cloud(n, dim, 10, 3); }

/// Vertex v has (v * 7) % most edges, so some have none.
Graph uneven(Index n, Index most) {
    Graph graph;
    for (Index v = 0; v < n; ++v) {
        for (Index e = 0; e < (v * 7) % most; ++e) {
            const auto item = static_cast<std::uint64_t>(Offset{v} * most + e);
            graph.targets.push_back(static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), 1, item)));
            graph.weights.push_back(static_cast<float>(math::random_uniform(2, item) / n));
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

/// A star whose weights sum to 1.
Graph star(Index n) { return made::star(n, 0.5F / static_cast<float>(n - 1)); }

void expect_like_reference(const Graph& graph, const std::vector<float>& y, int dim) {
    const std::vector<double> wide(y.begin(), y.end());
    std::vector<double> force(y.size());
    const double cost =
        attract_reference<double>(graph, {wide.data(), graph.size(), dim}, {force.data(), graph.size(), dim});
    const Attraction a = attraction(graph, y, dim);
    EXPECT_NEAR(a.cost, cost, 1e-6 * (1 + std::abs(cost))) << graph.size();
    double largest = 1e-30, error = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        largest = std::max(largest, std::abs(force[i]));
        error = std::max(error, std::abs(force[i] - static_cast<double>(a.force[i])));
    }
    EXPECT_LT(error, 1e-6 * largest) << graph.size();
}

TEST(Attraction, AnEdgeByHand) {
    const Graph edge{{0, 1, 1}, {1}, {0.5F}};
    const Attraction a = attraction(edge, {0, 0, 0, 2}, 2);  // q = 1/5; there is no edge in the other direction
    EXPECT_FLOAT_EQ(a.force[1], 0.5F * 0.2F * -2);
    EXPECT_EQ(a.force[0], 0);
    EXPECT_EQ(a.force[3], 0);
    EXPECT_NEAR(a.cost, 0.5 * std::log(0.5 * 5), 1e-7);
}

TEST(Attraction, IsTheDoubleFormula) {
    for (const int dim : {2, 3}) {
        for (const Index n : {1, 2, 31, 33, 1000}) {
            for (const Index most : {1, 2, 17, 40, 200}) expect_like_reference(uneven(n, most), cloud(n, dim), dim);
        }
    }
}

TEST(Attraction, AnEmptyGraphPullsNobody) {
    const Graph none{std::vector<Offset>(5, 0), {}, {}};
    const Attraction a = attraction(none, cloud(4, 2), 2);
    EXPECT_EQ(a.force, std::vector<float>(8, 0.0F));
    EXPECT_EQ(a.cost, 0);
    EXPECT_EQ(attraction(Graph{}, {}, 2).cost, 0);
}

TEST(Attraction, AnEdgeOfNoWeightCostsNothing) {
    const Graph edge{{0, 2, 2}, {1, 0}, {0.0F, 1e-40F}};
    const Attraction a = attraction(edge, {0, 0, 3, 4}, 2);
    EXPECT_NEAR(a.cost, 0, 1e-37);
    EXPECT_EQ(a.force[0], 0);
}

TEST(Attraction, PointsInOnePlaceDoNotPull) {
    const Graph graph = uneven(100, 20);
    const Attraction a = attraction(graph, std::vector<float>(300, 1e3F), 3);
    EXPECT_EQ(a.force, std::vector<float>(300, 0.0F));
}

TEST(Attraction, AStarIsSummedInDigitsThatLast) {
    for (const int dim : {2, 3}) expect_like_reference(star(70001), cloud(70001, dim), dim);
}

template <int D>
void expect_equal_pulls() {
    const Index n = 5000;
    const std::vector<float> y = cloud(n, D);
    const Graph graph = star(n);
    for (const Offset size : {0, 1, 15, 16, 17, 2047, 2048, 2049, 4999}) {
        const EdgeBatch batch{graph.targets.data(), graph.weights.data(), size, y.data(), y.data()};
        double plain[3] = {1, 2, 3}, wide[3] = {1, 2, 3};
        attract_batch<D>(batch, plain);
        if (has_avx512()) attract_batch_avx512<D>(batch, wide);
        if (!has_avx512()) GTEST_SKIP() << "this processor has no AVX-512";
        for (int d = 0; d < 3; ++d) EXPECT_NEAR(plain[d], wide[d], 1e-7) << size;
    }
}

TEST(Attraction, IsTheSameWithAndWithoutAvx512) {
    expect_equal_pulls<2>();
    expect_equal_pulls<3>();
}

TEST(Attraction, ItsLogarithmIsOne) {
    for (float x = 1e-37F; x < 1e38F; x *= 1.0137F) {
        EXPECT_NEAR(math::fast_log(x), std::log(static_cast<double>(x)),
                    1.5e-7 * std::abs(std::log(static_cast<double>(x))))
            << x;
    }
    EXPECT_EQ(math::fast_log(1), 0);
}

TEST(Attraction, HasTheSameBytesForAnyNumberOfThreads) {
    for (const int dim : {2, 3}) {
        for (const Graph& graph : {star(100000), uneven(3000, 90)}) {
            const std::vector<float> y = cloud(graph.size(), dim);
            const Attraction one = attraction(graph, y, dim, 1);
            for (const int threads : {2, 3}) {
                const Attraction other = attraction(graph, y, dim, threads);
                EXPECT_EQ(one.force, other.force);
                EXPECT_EQ(one.cost, other.cost);
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::forces
