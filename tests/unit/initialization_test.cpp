// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "initialization/initial_map.hpp"
#include "initialization/pca.hpp"
#include "math/rng.hpp"

namespace dunlin::initialization {
namespace {

/// Gaussian points whose column c has standard deviation 1 / (c + 1), off center.
std::vector<float> tapering(Index n, Index d) {
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < d; ++c) {
            const double z = math::random_normal(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
            x.push_back(static_cast<float>(5 + z / (c + 1)));
        }
    }
    return x;
}

double deviation(const std::vector<float>& values, int dim, int c) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(values.size()) / dim;
    for (std::size_t i = static_cast<std::size_t>(c); i < values.size(); i += static_cast<std::size_t>(dim)) {
        sum += values[i];
        squares += static_cast<double>(values[i]) * values[i];
    }
    return std::sqrt(squares / n - sum / n * sum / n);
}

TEST(Pca, ALineIsItsOwnAxis) {
    std::vector<float> x;
    for (int i = 0; i < 50; ++i) x.insert(x.end(), {3.0F * static_cast<float>(i), 4.0F * static_cast<float>(i)});
    device::Cpu cpu(2);
    const auto y = principal_coordinates(cpu, {x.data(), 50, 2}, 2);
    for (int i = 0; i < 50; ++i) {
        EXPECT_NEAR(y[static_cast<std::size_t>(2 * i)], 5.0F * (static_cast<float>(i) - 24.5F), 1e-3F);
        EXPECT_NEAR(y[static_cast<std::size_t>(2 * i + 1)], 0.0F, 1e-3F);
    }
}

TEST(Pca, VariancesComeInOrderOnBothPaths) {
    device::Cpu cpu(2);
    for (const auto& [n, d] : {std::pair{2000, 20}, {1200, 1600}, {1600, 1600}}) {  // covariance, Gram, Krylov
        const auto x = tapering(n, d);
        const auto y = principal_coordinates(cpu, {x.data(), n, d}, 3);
        EXPECT_NEAR(deviation(y, 3, 0), 1.0, 0.1) << d;
        EXPECT_NEAR(deviation(y, 3, 1), 0.5, 0.05) << d;
        EXPECT_NEAR(deviation(y, 3, 2), 0.333, 0.04) << d;
    }
}

TEST(Pca, CoordinatesBeyondTheRankAreRounding) {
    device::Cpu cpu(2);
    for (const auto& [n, d] : {std::pair{60, 8}, {2, 3000}, {60, 3000}, {700, 1501}, {1600, 1600}}) {
        std::vector<float> x;  // points of a line
        for (Index i = 0; i < n; ++i) {
            const double along = math::random_normal(1, static_cast<std::uint64_t>(i), 0);
            for (Index c = 0; c < d; ++c)
                x.push_back(static_cast<float>(along * math::random_normal(2, static_cast<std::uint64_t>(c), 0)));
        }
        const auto y = principal_coordinates(cpu, {x.data(), n, d}, 3);
        EXPECT_GT(deviation(y, 3, 0), 0.2 * std::sqrt(d)) << n << " x " << d;
        for (const int axis : {1, 2})
            EXPECT_LT(deviation(y, 3, axis), 1e-4 * deviation(y, 3, 0)) << n << " x " << d << ", axis " << axis;
    }
}

TEST(Pca, SameBytesForAnyNumberOfThreads) {
    for (const auto& [n, d] : {std::pair{3000, 64}, {600, 1600}, {1600, 1600}}) {
        const auto x = tapering(n, d);
        device::Cpu one(1), two(2), three(3);
        const auto y = principal_coordinates(one, {x.data(), n, d}, 2);
        EXPECT_EQ(y, principal_coordinates(two, {x.data(), n, d}, 2));
        EXPECT_EQ(y, principal_coordinates(three, {x.data(), n, d}, 2));
    }
}

TEST(Pca, AwkwardShapes) {
    device::Cpu cpu(2);
    for (const auto& [n, d] : {std::pair{0, 5}, {1, 5}, {2, 1}, {2, 3000}, {33, 1}, {5, 100000}}) {
        const auto x = tapering(n, d);
        const auto y = principal_coordinates(cpu, {x.data(), n, d}, 3);
        ASSERT_EQ(y.size(), static_cast<std::size_t>(n) * 3);
        for (const float value : y) EXPECT_TRUE(std::isfinite(value)) << n << " x " << d;
    }
}

TEST(Start, PcaHasTheWantedDeviationAndNoCoincidentPoints) {
    device::Cpu cpu(2);
    std::vector<float> x = tapering(1000, 10);
    std::copy_n(x.begin(), 10, x.begin() + 10);  // row 1 repeats row 0
    const Map start = pca_start(cpu, {x.data(), 1000, 10}, 2, 1e-4, 1);
    EXPECT_NEAR(deviation(start.coordinates, 2, 0), 1e-4, 2e-6);
    EXPECT_NE(start.coordinates[0], start.coordinates[2]);
}

TEST(Start, ConstantDataGetARandomStart) {
    device::Cpu cpu(1);
    const std::vector<float> x(400, 7.0F);
    const Map start = pca_start(cpu, {x.data(), 100, 4}, 3, 1e-4, 1);
    EXPECT_NEAR(deviation(start.coordinates, 3, 0), 1e-4, 3e-5);
}

TEST(Start, TheSeedDecides) {
    EXPECT_EQ(random_start(100, 2, 1, 5).coordinates, random_start(100, 2, 1, 5).coordinates);
    EXPECT_NE(random_start(100, 2, 1, 5).coordinates, random_start(100, 2, 1, 6).coordinates);
}

}  // namespace
}  // namespace dunlin::initialization
