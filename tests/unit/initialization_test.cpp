// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

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

/// Of rows a and b of n numbers.
double correlation(const float* a, const float* b, int n) {
    const auto mean = [&](const float* row) { return std::accumulate(row, row + n, 0.0) / n; };
    const double of_a = mean(a), of_b = mean(b);
    double product = 0, square_a = 0, square_b = 0;
    for (int c = 0; c < n; ++c) {
        const double x = static_cast<double>(a[c]) - of_a, y = static_cast<double>(b[c]) - of_b;
        product += x * y, square_a += x * x, square_b += y * y;
    }
    return product / std::sqrt(square_a * square_b);
}

TEST(Pca, KeepsCorrelations) {
    constexpr int n = 40, d = 5;
    std::vector<float> x;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double length = math::random_uniform(2, i) + 0.1;
        for (std::uint64_t c = 0; c < d; ++c)
            x.push_back(static_cast<float>(length * math::random_uniform(3, i, c) + 7));
    }
    std::fill_n(x.begin() + d, d, 3.0F);  // a constant row
    device::Cpu cpu(2);
    const MatrixView<const float> points{x.data(), n, d};
    for (const int components : {d - 1, d, d + 2}) {  // rows less their means have d - 1 dimensions
        const std::vector<float> y = correlation_coordinates(cpu, points, components);
        const int width = components + 1;
        ASSERT_EQ(std::ssize(y), n * width);
        for (int i = 0; i < n; ++i) {
            EXPECT_NEAR(std::accumulate(y.begin() + i * width, y.begin() + (i + 1) * width, 0.0), 0, 1e-6);
            for (int j = 0; j < i && i != 1; ++j) {
                if (j == 1) continue;
                EXPECT_NEAR(correlation(&y[static_cast<std::size_t>(i * width)],
                                        &y[static_cast<std::size_t>(j * width)], width),
                            correlation(&x[static_cast<std::size_t>(i * d)], &x[static_cast<std::size_t>(j * d)], d),
                            1e-4);
            }
        }
        for (int c = 0; c < width; ++c) EXPECT_EQ(y[static_cast<std::size_t>(width + c)], 0);
    }
    for (const Index rows : {0, 1})
        EXPECT_EQ(std::ssize(correlation_coordinates(cpu, {x.data(), rows, d}, 2)), 3 * rows);
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
