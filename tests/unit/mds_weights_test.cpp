// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 300;

float normal(std::uint64_t stream, Offset k) {
    return static_cast<float>(math::random_normal(stream, static_cast<std::uint64_t>(k)));
}

Dissimilarities random_points() {
    std::vector<float> x;
    for (Offset k = 0; k < Offset{n} * 8; ++k) x.push_back(normal(1, k));
    return Dissimilarities::of_points(Matrix(n, 8, std::move(x)));
}

/// Symmetric weights from 0.05 to 20; every seventh is 0.
Matrix random_weights() {
    std::vector<float> w(std::size_t{n} * n, 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            const float weight = (i + j) % 7 == 0 ? 0 : std::exp(normal(2, Offset{i} * n + j));
            w[static_cast<std::size_t>(i * n + j)] = w[static_cast<std::size_t>(j * n + i)] = weight;
        }
    }
    return {n, n, std::move(w)};
}

TEST(MdsWeights, StressIsItsDefinition) {
    const auto items = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 2, 1, 0, 2, 2, 2, 0}));
    const Matrix weights(3, 3, std::vector<float>{9, 1, 3, 1, 9, 0, 3, 0, 9});
    // Distances 2, 1, 1: errors 1 of weight 1 and 1 of weight 3
    EXPECT_NEAR(weighted_stress(items, {1, {0, 2, 1}}, weights), 4.0 / (1 + 3 * 4), 1e-6);
    EXPECT_THROW(weighted_stress(items, {1, {0, 2}}, weights), Error);
    EXPECT_THROW(weighted_stress(items, {1, {0, 2, 1}}, Matrix(2, 2, std::vector<float>(4, 1.0F))), Error);
}

TEST(MdsWeights, DunlinMakesWeightedStressAsSmallAsSmacof) {
    const auto items = random_points();
    const Matrix weights = random_weights();
    const Given given{.weights = &weights};
    for (const Start start : {Start::automatic, Start::random}) {
        const Map ours = place(items, {.start = start}, {}, given).map;
        const Map evenly = place(items, {.start = start}).map;
        const Options thorough{.method = Method::smacof, .start = start, .iterations = 3000, .tolerance = 1e-7};
        const double best = weighted_stress(items, place(items, thorough, {}, given).map, weights);
        EXPECT_LE(weighted_stress(items, ours, weights), 1.01 * best) << name_of(start);
        EXPECT_LT(weighted_stress(items, ours, weights), 0.99 * weighted_stress(items, evenly, weights));
    }
}

TEST(MdsWeights, EqualWeightsHaveNoEffect) {
    const auto items = random_points();
    const Matrix weights(n, n, std::vector<float>(std::size_t{n} * n, 7.0F));
    const double even = stress(items, place(items).map).normalized_stress.value;
    const Map map = place(items, {}, {}, {.weights = &weights}).map;
    EXPECT_NEAR(stress(items, map).normalized_stress.value, even, 0.002 * even);
    EXPECT_NEAR(weighted_stress(items, map, weights), stress(items, map).normalized_stress.value, 1e-6);
}

TEST(MdsWeights, AMeanWithoutAFiniteInverseIsRefused) {
    const auto items = random_points();
    const auto with = [&](float weight) {
        const Matrix weights(n, n, std::vector<float>(std::size_t{n} * n, weight));
        return place(items, {.iterations = 20}, {}, {.weights = &weights}).map;
    };
    EXPECT_THROW(with(1e-39F), Error);
    for (const float y : with(2e-38F).coordinates) ASSERT_TRUE(std::isfinite(y));
}

TEST(MdsWeights, TheSameBytesForAnyNumberOfThreads) {
    const auto items = random_points();
    const Matrix weights = random_weights();
    const auto with = [&](int threads) { return place(items, {}, {.threads = threads}, {.weights = &weights}).map; };
    const std::vector<float> one = with(1).coordinates;
    EXPECT_EQ(one, with(2).coordinates);
    EXPECT_EQ(one, with(3).coordinates);
}

TEST(MdsWeights, LandmarkScalingRefusesThem) {
    const auto items = Dissimilarities::of_callback(
        n, [](std::span<const Index>, std::span<const Index>, std::span<float> out) { std::ranges::fill(out, 1.0F); });
    const Matrix weights = random_weights();
    EXPECT_THROW(place(items, {.landmarks = 20}, {}, {.weights = &weights}), Error);
    EXPECT_NO_THROW(place(items, {.method = Method::smacof, .iterations = 3}, {}, {.weights = &weights}));
}

}  // namespace
}  // namespace dunlin::mds
