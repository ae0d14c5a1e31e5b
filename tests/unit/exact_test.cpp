// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"
#include "forces/borders.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;
using made::cloud;

TEST(Reference, ThreePointsInSpaceByHand) {
    // As Exact.ThreePointsInSpaceByHand; a charge multiplies what its point does to the others
    const std::vector<double> y{0, 0, 0, 1, 0, 0, 0, 0, 3};
    const MatrixView<const double> at{y.data(), 3, 3};
    const Truth student = by_formula(at);
    EXPECT_NEAR(student.force[0], -1.0 / 4, 1e-15);
    EXPECT_NEAR(student.force[5], -3.0 / 121, 1e-15);
    EXPECT_NEAR(student.force[8], 3.0 / 100 + 3.0 / 121, 1e-15);
    EXPECT_NEAR(student.mass, 2 * (1.0 / 2 + 1.0 / 10 + 1.0 / 11), 1e-15);
    const std::vector<float> charges{1, 2, 4};
    const Truth charged = by_formula(at, InversePower<1>{}, charges);
    EXPECT_NEAR(charged.force[0], -2, 1e-5);
    EXPECT_NEAR(charged.force[2], -4.0 / 3, 1e-5);
    EXPECT_EQ(charged.mass, 0);
}

TEST(Reference, TakesNoPointsAndPointsInOnePlace) {
    EXPECT_EQ(by_formula(Map{2, {}}).mass, 0);
    const Truth together = by_formula(Map{2, std::vector<float>(2 * 40, 7)});
    EXPECT_EQ(together.mass, 40 * 39);
    for (const double f : together.force) EXPECT_EQ(f, 0);
}

TEST(Exact, TwoPointsByHand) {
    const Forces r = exact({0, 0, 2, 0}, 2);  // r2 = 4, q = 1/5
    EXPECT_FLOAT_EQ(r.force[0], -2.0F / 25);
    EXPECT_FLOAT_EQ(r.force[1], 0);
    EXPECT_FLOAT_EQ(r.force[2], 2.0F / 25);
    EXPECT_NEAR(r.mass, 0.4, 1e-7);
}

TEST(Exact, ThreePointsInSpaceByHand) {
    const Forces r = exact({0, 0, 0, 1, 0, 0, 0, 0, 3}, 3);  // q = 1/2, 1/10, 1/11
    EXPECT_FLOAT_EQ(r.force[0], -1.0F / 4);
    EXPECT_FLOAT_EQ(r.force[2], -3.0F / 100);
    EXPECT_FLOAT_EQ(r.force[3], 1.0F / 4 + 1.0F / 121);
    EXPECT_FLOAT_EQ(r.force[5], -3.0F / 121);
    EXPECT_FLOAT_EQ(r.force[8], 3.0F / 100 + 3.0F / 121);
    EXPECT_NEAR(r.mass, 2 * (1.0 / 2 + 1.0 / 10 + 1.0 / 11), 1e-7);
}

TEST(Exact, NoPointsAndOnePointHaveNoForce) {
    EXPECT_EQ(exact({}, 2).mass, 0);
    const Forces r = exact({5, 6, 7}, 3);
    EXPECT_EQ(r.mass, 0);
    EXPECT_EQ(r.force, (std::vector<float>{0, 0, 0}));
}

TEST(Exact, OtherPointsInTheSamePlaceCountOneselfDoesNot) {
    const Index n = 300;
    const Forces r = exact(std::vector<float>(2 * n, 3.5F), 2);
    EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
    for (const float f : r.force) EXPECT_EQ(f, 0);
}

TEST(Exact, IsTheDoubleFormulaAtEverySize) {
    for (const int dim : {2, 3}) {
        for (const Index n : {2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 513, 768, 1000, 1025}) {
            for (const double spread : {1e-4, 1.0, 100.0}) {
                const std::vector<float> y = cloud(n, dim, spread);
                const Truth truth = by_formula(view(y, dim));
                const Forces r = exact(y, dim);
                EXPECT_NEAR(r.mass / truth.mass, 1, cases::all_pairs.mass) << n << ' ' << spread;
                double largest = 0, error = 0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                    largest = std::max(largest, std::abs(truth.force[i]));
                    error = std::max(error, std::abs(truth.force[i] - static_cast<double>(r.force[i])));
                }
                EXPECT_LT(error, cases::all_pairs.force * largest) << n << ' ' << spread;
            }
        }
    }
}

TEST(Exact, ForcesAddUpToNothing) {
    const Forces r = exact(cloud(2000, 2, 10), 2);
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
            const Forces one = exact(y, dim, 1);
            for (const int threads : {2, 3}) {
                const Forces other = exact(y, dim, threads);
                EXPECT_EQ(one.force, other.force);
                EXPECT_EQ(one.mass, other.mass);
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::forces
