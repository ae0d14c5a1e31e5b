// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "forces/borders.hpp"
#include "forces/exact/reference.hpp"
#include "point_forces.hpp"

namespace dunlin::forces {
namespace {

using namespace testing_points;

std::vector<float> cloud(Index n, int dim, double spread) {
    std::vector<float> y(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(spread * math::random_normal(7, i));
    return y;
}

TEST(Exact, TwoPointsByHand) {
    const Repulsion r = exact({0, 0, 2, 0}, 2);  // r2 = 4, q = 1/5
    EXPECT_FLOAT_EQ(r.force[0], -2.0F / 25);
    EXPECT_FLOAT_EQ(r.force[1], 0);
    EXPECT_FLOAT_EQ(r.force[2], 2.0F / 25);
    EXPECT_NEAR(r.mass, 0.4, 1e-7);
}

TEST(Exact, ThreePointsInSpaceByHand) {
    const Repulsion r = exact({0, 0, 0, 1, 0, 0, 0, 0, 3}, 3);  // q = 1/2, 1/10, 1/11
    EXPECT_FLOAT_EQ(r.force[0], -1.0F / 4);
    EXPECT_FLOAT_EQ(r.force[2], -3.0F / 100);
    EXPECT_FLOAT_EQ(r.force[3], 1.0F / 4 + 1.0F / 121);
    EXPECT_FLOAT_EQ(r.force[5], -3.0F / 121);
    EXPECT_FLOAT_EQ(r.force[8], 3.0F / 100 + 3.0F / 121);
    EXPECT_NEAR(r.mass, 2 * (1.0 / 2 + 1.0 / 10 + 1.0 / 11), 1e-7);
}

TEST(Exact, NoPointsAndOnePointHaveNoForce) {
    EXPECT_EQ(exact({}, 2).mass, 0);
    const Repulsion r = exact({5, 6, 7}, 3);
    EXPECT_EQ(r.mass, 0);
    EXPECT_EQ(r.force, (std::vector<float>{0, 0, 0}));
}

TEST(Exact, OtherPointsInTheSamePlaceCountOneselfDoesNot) {
    const Index n = 300;
    const Repulsion r = exact(std::vector<float>(2 * n, 3.5F), 2);
    EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
    for (const float f : r.force) EXPECT_EQ(f, 0);
}

TEST(Exact, IsTheDoubleFormulaAtEverySize) {
    for (const int dim : {2, 3}) {
        for (const Index n : {2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 513, 768, 1000, 1025}) {
            for (const double spread : {1e-4, 1.0, 100.0}) {
                const std::vector<float> y = cloud(n, dim, spread);
                const std::vector<double> wide(y.begin(), y.end());
                std::vector<double> force(y.size());
                const double mass =
                    repel_exact_reference<StudentT, double>({wide.data(), n, dim}, {force.data(), n, dim});
                const Repulsion r = exact(y, dim);
                EXPECT_NEAR(r.mass / mass, 1, 1e-6) << n << ' ' << spread;
                double largest = 0, error = 0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                    largest = std::max(largest, std::abs(force[i]));
                    error = std::max(error, std::abs(force[i] - static_cast<double>(r.force[i])));
                }
                EXPECT_LT(error, 2e-6 * largest) << n << ' ' << spread;
            }
        }
    }
}

TEST(Exact, ForcesAddUpToNothing) {
    const Repulsion r = exact(cloud(2000, 2, 10), 2);
    double x = 0, size = 0;
    for (std::size_t i = 0; i < r.force.size(); i += 2) {
        x += static_cast<double>(r.force[i]);
        size += std::abs(static_cast<double>(r.force[i]));
    }
    EXPECT_LT(std::abs(x), 1e-6 * size);
}

TEST(Exact, BetweenBordersByHand) {
    // Three discs on a line: 2 between the borders of the first two, the last two overlap
    device::Cpu cpu(1);
    device::Cell<double> mass;
    const std::vector<float> y{0, 0, 5, 0, 7, 0}, charges{1, 2, 3}, radii{1, 2, 0.5F};
    std::vector<float> force(6, NAN);
    repel_exact<BetweenBorders>(cpu, {y.data(), 3, 2}, {force.data(), 3, 2}, mass, charges.data(), radii.data());
    EXPECT_NEAR(force[0], -(2 / 2.0 + 3 / 5.5), 1e-5);
    EXPECT_NEAR(force[2], 1 / 2.0 - 300, 1e-3);
    EXPECT_NEAR(force[4], 1 / 5.5 + 200, 1e-3);
    EXPECT_EQ(force[1], 0);
}

TEST(Exact, BetweenBordersOfNoRadiusIsBetweenPoints) {
    device::Cpu cpu(2);
    device::Cell<double> mass;
    for (const int dim : {2, 3}) {
        constexpr Index n = 600;
        const std::vector<float> y = cloud(n, dim, 50), ones(n, 1.0F), none(n, 0.0F);
        std::vector<float> discs(y.size()), points(y.size());
        const MatrixView<const float> at{y.data(), n, dim};
        repel_exact<BetweenBorders>(cpu, at, {discs.data(), n, dim}, mass, ones.data(), none.data());
        repel_exact<InversePower<1>>(cpu, at, {points.data(), n, dim}, mass, ones.data());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(discs[i], points[i], 1e-4 * (1 + std::abs(points[i])));
    }
}

TEST(Exact, HasTheSameBytesForAnyNumberOfThreads) {
    for (const int dim : {2, 3}) {
        for (const Index n : {1000, 2305}) {
            const std::vector<float> y = cloud(n, dim, 20);
            const Repulsion one = exact(y, dim, 1);
            for (const int threads : {2, 3}) {
                const Repulsion other = exact(y, dim, threads);
                EXPECT_EQ(one.force, other.force);
                EXPECT_EQ(one.mass, other.mass);
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::forces
