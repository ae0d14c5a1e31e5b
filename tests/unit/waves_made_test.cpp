// SPDX-License-Identifier: Apache-2.0
// Orders of convergence on a made solution: v = .5 + .3 cos(pi x / L) e^-t solves the equation of v with a source, and
// w = .5 / gamma + c cos(pi x / L) e^-t that of w without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dunlin/waves.hpp>

#include "math/at.hpp"

namespace dunlin::waves {
namespace {

constexpr double length = 4, q = std::numbers::pi / length;

/// `eigenvalue`: of the negative Laplacian, q^2, or that of the grid, for which v is exact but in time.
struct Made {
    double eigenvalue = q * q;
    Options options;

    [[nodiscard]] static double wave(double x, double t) { return 0.3 * std::cos(q * x) * std::exp(-t); }
    [[nodiscard]] static double v(double x, double t) { return 0.5 + wave(x, t); }
    [[nodiscard]] double w(double x, double t) const {
        return 0.5 / options.gamma + options.epsilon / (options.epsilon * options.gamma - 1) * wave(x, t);
    }
    [[nodiscard]] double source(double x, double t) const {
        const double u = v(x, t);
        return (eigenvalue - 1) * wave(x, t) - u * (1 - u) * (u - options.threshold) + w(x, t);
    }
};

template <class Function>
std::vector<double> on_line(Index intervals, const Function& function) {
    std::vector<double> values;
    for (Index i = 0; i <= intervals; ++i) values.push_back(function(length / intervals * i));
    return values;
}

/// Largest error of v and w at time 1. The source is held at its value in the middle of a step (euler: at its begin),
/// which keeps order 2.
double error_of(Scheme scheme, Index intervals, int steps, bool of_time) {
    const double dt = 1.0 / steps, dx = length / intervals;
    Made made;
    made.options = {.threshold = 0.1, .epsilon = 0.5, .gamma = 0.8, .scheme = scheme, .step = dt, .until = dt};
    if (of_time) made.eigenvalue = 2 * (1 - std::cos(q * dx)) / (dx * dx);
    const double phase = scheme == Scheme::euler ? 0 : 0.5;
    Field field{on_line(intervals, [&](double x) { return made.v(x, 0); }),
                on_line(intervals, [&](double x) { return made.w(x, 0); })};
    for (int k = 0; k < steps; ++k) {
        const std::vector<double> source =
            on_line(intervals, [&](double x) { return made.source(x, (k + phase) * dt); });
        field =
            simulate(Domain::line(intervals + 1, dx), made.options, {}, {.v = field.v, .w = field.w, .current = source})
                .field;
    }
    double error = 0;
    for (Index i = 0; i <= intervals; ++i) {
        error = std::max(
            {error, std::abs(field.v[at(i)] - made.v(i * dx, 1)), std::abs(field.w[at(i)] - made.w(i * dx, 1))});
    }
    return error;
}

TEST(WavesMade, OrderInTime) {
    const auto order = [](Scheme scheme, int steps) {
        return std::log2(error_of(scheme, 20, steps, true) / error_of(scheme, 20, 2 * steps, true));
    };
    EXPECT_NEAR(order(Scheme::euler, 64), 1, 0.05);
    EXPECT_NEAR(order(Scheme::heun, 64), 2, 0.05);
    EXPECT_NEAR(order(Scheme::rkc, 64), 2, 0.1);
    EXPECT_NEAR(order(Scheme::crank_nicolson, 8), 2, 0.05);
    EXPECT_NEAR(order(Scheme::adi, 8), 2, 0.05);
}

TEST(WavesMade, OrderInSpace) {
    for (const Scheme scheme : {Scheme::heun, Scheme::crank_nicolson, Scheme::adi}) {
        const double coarse = error_of(scheme, 8, 1000, false), fine = error_of(scheme, 16, 1000, false);
        EXPECT_NEAR(std::log2(coarse / fine), 2, 0.05) << name_of(scheme);
    }
}

}  // namespace
}  // namespace dunlin::waves
