// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "waves/adaptive_step.hpp"
#include "waves/chebyshev.hpp"
#include "waves/formulas.hpp"
#include "waves/limits.hpp"

namespace dunlin::waves {
namespace {

TEST(WavesFormulas, RatesByHand) {
    const Coefficients c{.diffusion = 3,
                         .recovery_diffusion = 2,
                         .threshold = 0.25,
                         .one_plus_threshold = 1.25,
                         .epsilon = 0.5,
                         .gamma = 2,
                         .feed = 0.25,
                         .feed_plus_kill = 0.75};
    const Node u{0.5, 0.125}, laplacian{1, 4};
    // v(1 - v)(v - a) = 0.5 0.5 0.25 = 0.0625; epsilon (v - gamma w) = 0.5 0.25
    using Plain = Law<Model::fitzhugh_nagumo, false, false>;
    EXPECT_EQ(rates<Plain>(c, u, laplacian, 100).v, 0.0625 - 0.125 + 3);
    EXPECT_EQ(rates<Plain>(c, u, laplacian, 100).w, 0.125);
    using Full = Law<Model::fitzhugh_nagumo, true, true>;
    EXPECT_EQ(rates<Full>(c, u, laplacian, 10).v, 0.0625 - 0.125 + 3 + 10);
    EXPECT_EQ(rates<Full>(c, u, laplacian, 10).w, 0.125 + 8);
    EXPECT_EQ((rates<Law<Model::nagumo, false, true>>(c, u, laplacian, 10).v), 0.0625 + 3 + 10);
    EXPECT_EQ((rates<Law<Model::diffusion, false, false>>(c, u, laplacian, 10).v), 3);
    // v w^2 = 1/128
    using Gray = Law<Model::gray_scott, true, false>;
    EXPECT_EQ(rates<Gray>(c, u, laplacian, 0).v, -1.0 / 128 + 0.125 + 3);
    EXPECT_EQ(rates<Gray>(c, u, laplacian, 0).w, 1.0 / 128 - 0.09375 + 8);
}

TEST(WavesFormulas, LaplaciansOfEqualValuesAre0AndOfMirroredValuesEqual) {
    for (const double v : {0.1, -0.3, 1.0 / 3, 1e-300}) {
        EXPECT_EQ(laplacian_1d(v, v, v), 0);
        EXPECT_EQ(laplacian_2d(v, v, v, v, v), 0);
        EXPECT_EQ(laplacian_3d(laplacian_2d(v, v, v, v, v), v, v, v), 0);
    }
    EXPECT_EQ(laplacian_1d(1, 2, 4), 4);
    EXPECT_EQ(laplacian_2d(1, 2, 4, 8, 16), 26);
    EXPECT_EQ(laplacian_3d(26, 1, 32, 64), 120);
    EXPECT_EQ(laplacian_2d(0.3, 0.7, 0.1, 0.9, 0.2), laplacian_2d(0.3, 0.1, 0.7, 0.2, 0.9));
}

TEST(WavesFormulas, RestStaysAsItIs) {
    const Coefficients c{.feed = 0.037, .feed_plus_kill = 0.097};
    const Node rest = rates<Law<Model::fitzhugh_nagumo, false, false>>(c, {0, 0}, {0, 0}, 0);
    EXPECT_EQ(euler(0.1, rest.v, 0), 0);
    EXPECT_EQ(euler(0.1, rest.w, 0), 0);
    const Node fed = rates<Law<Model::gray_scott, true, false>>(c, {1, 0}, {0, 0}, 0);
    EXPECT_EQ(euler(0.1, fed.v, 1), 1);
    EXPECT_EQ(euler(0.1, fed.w, 0), 0);
}

TEST(WavesFormulas, Stimuli) {
    EXPECT_FALSE(is_held(1, 2, 0, 0.5));
    EXPECT_TRUE(is_held(1, 2, 0, 1));
    EXPECT_FALSE(is_held(1, 2, 0, 2));
    EXPECT_TRUE(is_held(1, forever, 0, 1e9));
    EXPECT_TRUE(is_held(1, 2, 10, 21.5));
    EXPECT_FALSE(is_held(1, 2, 10, 22.5));
}

TEST(WavesFormulas, NeighborsOfEnds) {
    EXPECT_EQ(node_before(0, 5, false), 1);
    EXPECT_EQ(node_after(4, 5, false), 3);
    EXPECT_EQ(node_before(0, 5, true), 4);
    EXPECT_EQ(node_after(4, 5, true), 0);
    EXPECT_EQ(node_before(0, 1, false), 0);
    EXPECT_EQ(node_after(0, 1, true), 0);
}

TEST(WavesFormulas, ActivationIsLinearBetweenSteps) {
    EXPECT_TRUE(crosses(0.25, 0.5, 0.5));
    EXPECT_FALSE(crosses(0.5, 0.75, 0.5));
    EXPECT_FALSE(crosses(0.75, 0.25, 0.5));
    EXPECT_EQ(crossing(10, 2, 0.25, 0.75, 0.5), 11);
}

TEST(WavesFormulas, CoinsHaveMean0AndVariance1) {
    double mean = 0, square = 0;
    constexpr int n = 100000;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double x = coins(7, i, 3);
        mean += x / n;
        square += x * x / n;
    }
    EXPECT_NEAR(mean, 0, 4 / std::sqrt(n));
    EXPECT_NEAR(square, 1, 4 * std::sqrt(2.0 / n));
    EXPECT_NE(coins(7, 1, 3), coins(7, 1, 4));
}

TEST(WavesLimits, StableStepByHand) {
    EXPECT_EQ(stable_step({-4, 0, 0, -1}), 0.5);
    EXPECT_EQ(stable_step({0, 0, 0, 0}), forever);
    EXPECT_EQ(stable_step({1, 0, 0, -1}), forever);  // grows in the equation, too
    EXPECT_EQ(stable_step({-1, -2, 2, -1}), 0.4);    // -1 +- 2i: |1 + dt lambda|^2 = 1 - 2 dt + 5 dt^2
}

TEST(WavesLimits, IncludesTheReaction) {
    // Spacing 0.5, a = 0.01, plateau v = 1: 4 dt / dx^2 + (1 - a) dt <= 2, hence dt / dx^2 <= 0.4709 instead of 0.5
    const Coefficients c{.diffusion = 4, .threshold = 0.01, .epsilon = 0};
    EXPECT_NEAR(explicit_limit(Model::nagumo, c, 4, {}) / 0.25, 0.4709, 5e-5);
    EXPECT_DOUBLE_EQ(explicit_limit(Model::diffusion, c, 4, {}) / 0.25, 0.5);
}

TEST(WavesLimits, SpectralBounds) {
    EXPECT_EQ(spectral_bound(Domain::line(10, 0.5)), 16);
    EXPECT_EQ(spectral_bound(Domain::grid({4, 5, 6})), 12);
    EXPECT_EQ(spectral_bound(Domain::line(1)), 0);
    const Graph star{{0, 3, 4, 5, 6}, {1, 2, 3, 0, 0, 0}, {1, 1, 2, 1, 1, 2}};
    EXPECT_EQ(spectral_bound(Domain::on(star)), 6);  // degree 4 and 2
    EXPECT_EQ(spectral_bound(Domain::on(star), Laplacian::random_walk), 2);
}

TEST(WavesChebyshev, StabilityPolynomial) {
    // y' = lambda y: a + b T_s(w0 + w1 z), of order 2 and at most 1 in magnitude up to the extent
    for (const int s : {2, 3, 5, 10, 50}) {
        const auto stages = chebyshev_stages(s);
        const auto after = [&](double z) {
            double last = 0, before = 0;
            for (std::size_t j = 0; j < stages.size(); ++j) {
                const double rate = z * (1 + (j == 0 ? 0 : last));
                before = chebyshev(stages[j], 1, last, before, rate, z);
                std::swap(last, before);
            }
            return 1 + last;
        };
        const double z = -1e-3;
        EXPECT_NEAR(after(z), 1 + z + z * z / 2, 1e-9) << s;
        const double extent = chebyshev_extent(s);
        EXPECT_GT(extent, 0.65 * (s * s - 1)) << s;
        for (int i = 1; i <= 200; ++i) EXPECT_LE(std::abs(after(-extent * i / 200)), 1 + 1e-9) << s << " " << i;
        if (s % 2 == 0) {
            EXPECT_GT(std::abs(after(-1.05 * extent)), 1) << s;
        }
    }
    EXPECT_EQ(chebyshev_count(0), 2);
    EXPECT_GE(chebyshev_extent(chebyshev_count(1000)), 1000);
    EXPECT_LT(chebyshev_extent(chebyshev_count(1000) - 1), 1000);
}

TEST(WavesAdaptiveStep, ControllerIsBounded) {
    EXPECT_DOUBLE_EQ(next_step(1, 1, 1), 0.9);
    EXPECT_DOUBLE_EQ(next_step(1, 0, 1), 5);
    EXPECT_DOUBLE_EQ(next_step(1, 1e9, 1), 0.2);
    EXPECT_LT(next_step(1, 1.0001, 1e-9), 1);
}

}  // namespace
}  // namespace dunlin::waves
