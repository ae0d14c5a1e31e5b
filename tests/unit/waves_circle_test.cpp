// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/waves.hpp>

#include "math/at.hpp"

namespace dunlin::waves {
namespace {

constexpr Index side = 81;
constexpr double spacing = 0.5;

const Options& nagumo() {
    static const Options options{.model = Model::nagumo, .threshold = 0.1, .until = 80};
    return options;
}

/// Activation along an axis of a quarter of a plane, whose two sides are lines of symmetry, after a disc of v = 1.
std::vector<double> after_disc(double radius) {
    std::vector<double> start(at(side * side));
    for (Index y = 0; y < side; ++y) {
        for (Index x = 0; x < side; ++x) start[at(x + side * y)] = std::hypot(x, y) * spacing <= radius ? 1 : 0;
    }
    std::vector<double> times = simulate(Domain::grid({side, side, 1}, spacing), nagumo(), {}, {.v = start}).activation;
    times.resize(side);
    return times;
}

double speed_between(const std::vector<double>& times, std::size_t from, std::size_t to) {
    return static_cast<double>(to - from) * spacing / (times[to] - times[from]);
}

TEST(WavesCircle, CurvatureSlowsAFront) {
    // R' = c - D / R + O(1 / R^2), where c is the speed of a plane front at this spacing
    std::vector<double> start(201);
    for (std::size_t i = 0; i < 20; ++i) start[i] = 1;
    const std::vector<double> line = simulate(Domain::line(201, spacing), nagumo(), {}, {.v = start}).activation;
    const double c = speed_between(line, 50, 70);
    const std::vector<double> circle = after_disc(10);
    for (const std::size_t node : {44U, 56U}) {
        const double radius = static_cast<double>(node) * spacing;
        // The remainder is of order 1 / R^2; 3 / R^2 is at most a seventh of the term 1 / R, which is thus seen
        EXPECT_NEAR(speed_between(circle, node - 4, node + 4), c - 1 / radius, 3 / radius / radius) << radius;
        EXPECT_LT(3 / radius / radius, 1 / radius / 7);
    }
}

TEST(WavesCircle, ASmallDiscShrinks) {
    // Below R = 1 / c = 1.8 nothing spreads
    EXPECT_EQ(after_disc(1.4)[20], forever);
    EXPECT_LT(after_disc(5)[20], 80);
}

}  // namespace
}  // namespace dunlin::waves
