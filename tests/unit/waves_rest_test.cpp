// SPDX-License-Identifier: Apache-2.0
// Defaults: the step of diffusion, and when it is at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dunlin/waves.hpp>

#include "math/at.hpp"

namespace dunlin::waves {
namespace {

constexpr Index n = 64;

/// A wave of a ring, which decays by exp(-lambda t).
std::vector<double> mode(int k, double unit) {
    std::vector<double> v(at(n));
    for (Index i = 0; i < n; ++i) v[at(i)] = unit * std::cos(2 * std::numbers::pi * k * i / n);
    return v;
}
double rate(int k) { return 2 - 2 * std::cos(2 * std::numbers::pi * k / n); }

constexpr Scheme schemes[]{Scheme::automatic, Scheme::euler,          Scheme::heun,
                           Scheme::rkc,       Scheme::crank_nicolson, Scheme::adi};  // adaptive is for lines

TEST(WavesDefaults, DiffusionIsAccurate) {
    for (const Scheme scheme : schemes) {
        for (const int k : {1, 5, 32}) {
            for (const double unit : {1.0, 1e-6}) {
                const double until = 1 / rate(k);
                const Domain ring = Domain::ring(n);
                const std::vector<double> start = mode(k, unit);
                const Result made =
                    simulate(ring, {.model = Model::diffusion, .scheme = scheme, .until = until}, {}, {.v = start});
                for (Index i = 0; i < n; ++i)
                    EXPECT_NEAR(made.field.v[at(i)], start[at(i)] / std::numbers::e, 0.02 * unit)
                        << name_of(scheme) << " " << k << " " << unit;
            }
        }
    }
}

TEST(WavesDefaults, SnapshotsAreAtTheirTimes) {
    const std::vector<double> start = mode(1, 1);
    const Result made = simulate(Domain::ring(n), {.model = Model::diffusion, .until = 300}, {},
                                 {.v = start, .snapshots = {0, 17, 140, 300}});
    ASSERT_EQ(made.snapshots.size(), 4);
    for (const Snapshot& shot : made.snapshots)
        EXPECT_NEAR(shot.field.v[0], std::exp(-rate(1) * shot.time), 1e-3) << shot.time;
    EXPECT_EQ(made.snapshots[1].time, 17);
    EXPECT_EQ(made.snapshots[2].time, 140);
}

TEST(WavesDefaults, RestHasNoUnits) {
    for (const Scheme scheme : {Scheme::automatic, Scheme::heun, Scheme::crank_nicolson}) {
        Offset iterations = 0;
        for (const double time : {1.0, 0x1p-30, 0x1p40}) {
            for (const double unit : {1.0, 0x1p-20}) {
                const std::vector<double> start = mode(1, unit);
                const Result made =
                    simulate(Domain::ring(n), {.model = Model::diffusion, .diffusion = time, .scheme = scheme}, {},
                             {.v = start});
                EXPECT_EQ(made.stopped, Stopped::converged);
                EXPECT_LE(made.largest - made.smallest, 2e-6 * unit) << name_of(scheme);
                EXPECT_GT(made.time * time, 5 / rate(1));
                if (iterations == 0) iterations = made.iterations;
                EXPECT_EQ(made.iterations, iterations) << name_of(scheme) << " " << time << " " << unit;
            }
        }
    }
}

TEST(WavesDefaults, FlatAndEmptyDomainsRestAtOnce) {
    for (const Index nodes : {0, 1, 2, 9}) {
        const std::vector<double> start(at(nodes), 0.3);
        const Result made = simulate(Domain::line(nodes), {.model = Model::diffusion}, {}, {.v = start});
        EXPECT_EQ(made.stopped, Stopped::converged);
        EXPECT_EQ(made.iterations, 0);
    }
}

}  // namespace
}  // namespace dunlin::waves
