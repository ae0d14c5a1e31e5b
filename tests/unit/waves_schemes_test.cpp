// SPDX-License-Identifier: Apache-2.0
// What holds for every scheme: mirrored data, small domains, bad input, stimuli and currents; and noise at ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/waves.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::waves {
namespace {

constexpr Scheme all_schemes[]{Scheme::euler,          Scheme::heun, Scheme::rkc,
                               Scheme::crank_nicolson, Scheme::adi,  Scheme::adaptive};

std::vector<double> random_values(Offset n) {
    std::vector<double> values(at(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = math::random_uniform(1, i);
    return values;
}

/// The largest difference of a run of mirrored values to the mirrored run; 0: the same bits.
double asymmetry(const Domain& domain, const Options& options) {
    const std::vector<double> start = random_values(domain.size());
    const std::vector<double> mirrored(start.rbegin(), start.rend());
    const Result one = simulate(domain, options, {}, {.v = start}),
                 other = simulate(domain, options, {}, {.v = mirrored});
    double difference = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::size_t opposite = start.size() - 1 - i;
        difference = std::max({difference, std::abs(one.field.v[i] - other.field.v[opposite]),
                               std::abs(one.field.w[i] - other.field.w[opposite])});
    }
    return difference;
}

TEST(WavesSchemes, MirroredDataGiveMirroredBits) {
    for (const Scheme scheme : all_schemes) {
        Options options{.scheme = scheme, .until = 20, .tile = 7, .depth = 3};
        const bool has_tiles = scheme == Scheme::euler || scheme == Scheme::heun;
        if (!has_tiles) options.tile = options.depth = 0;
        // Elimination has a direction: the implicit schemes are symmetric to rounding
        const bool implicit = scheme == Scheme::crank_nicolson || scheme == Scheme::adi;
        const double tolerance = implicit ? 1e-12 : 0;
        EXPECT_LE(asymmetry(Domain::line(161, 0.5), options), tolerance) << name_of(scheme);
        if (scheme == Scheme::crank_nicolson || scheme == Scheme::adaptive) continue;
        EXPECT_LE(asymmetry(Domain::grid({31, 20, 1}, 0.5), options), tolerance) << name_of(scheme);
    }
}

std::string refused(const Domain& domain, const Options& options, const Given& given) {
    return refusal(Fault::bad_input, [&] { (void)simulate(domain, options, {}, given); });
}

TEST(WavesSchemes, BadInputIsRefused) {
    std::vector<double> bad(10, 0.0);
    bad[3] = std::numeric_limits<double>::quiet_NaN();
    for (const Scheme scheme : all_schemes) {
        const Options options{.scheme = scheme, .until = 1};
        EXPECT_NE(refused(Domain::line(10), options, {.v = bad}).find("node 3"), std::string::npos);
        EXPECT_NE(refused(Domain::line(10), options, {.w = bad}).find("node 3"), std::string::npos);
        EXPECT_NE(refused(Domain::line(10), options, {.current = bad}).find("node 3"), std::string::npos);
        EXPECT_NE(refused(Domain::line(10), options, {.stimuli = {{.vertex = 10}}}).find("vertex 10"),
                  std::string::npos);
    }
}

TEST(WavesSchemes, SmallDomains) {
    const auto rises_together = [](const Domain& domain, Scheme scheme) {
        const std::vector<double> start(at(domain.size()), 0.5);
        const Result result = simulate(domain, {.scheme = scheme, .until = 5}, {}, {.v = start});
        EXPECT_EQ(std::ssize(result.field.v), domain.size());
        EXPECT_EQ(std::ssize(result.activation), domain.size());
        EXPECT_EQ(result.stopped, Stopped::converged);
        for (const double v : result.field.v) {
            EXPECT_GT(v, 0.5);
            EXPECT_NEAR(v, result.field.v[0], 1e-12);
        }
    };
    for (const Index n : {0, 1, 2}) {
        for (const Scheme scheme : all_schemes) {
            rises_together(Domain::line(n), scheme);
            if (scheme == Scheme::adaptive) continue;
            rises_together(Domain::ring(n), scheme);
            if (scheme == Scheme::crank_nicolson) continue;
            rises_together(Domain::grid({n, n, n}), scheme);
            rises_together(Domain::grid({n, 3, 1}, 1, true), scheme);
        }
    }
}

/// Largest difference of an implicit run with a stimulus and currents to the explicit one.
double difference_to_heun(const Domain& domain, const Options& implicit, Index vertex) {
    std::vector<double> current(at(domain.size()), 0.0);
    current[at(domain.size() / 3)] = 0.05;
    const Given given{.stimuli = {{.vertex = vertex, .value = 0.9, .from = 2, .to = 6}}, .current = current};
    Options options = implicit;
    const Result result = simulate(domain, options, {}, given);
    options.scheme = Scheme::heun;
    options.step = 0.01;
    const Result truth = simulate(domain, options, {}, given);
    EXPECT_EQ(result.field.v[at(vertex)] == 0.9, implicit.until < 6);
    double difference = 0;
    for (std::size_t i = 0; i < result.field.v.size(); ++i)
        difference = std::max(difference, std::abs(result.field.v[i] - truth.field.v[i]));
    return difference;
}

TEST(WavesSchemes, StimuliAndCurrentsOfImplicitSchemes) {
    for (const double until : {5.0, 20.0}) {
        const Options line{.scheme = Scheme::crank_nicolson, .step = 0.05, .until = until};
        EXPECT_LT(difference_to_heun(Domain::line(101, 0.5), line, 40), 0.02);
        EXPECT_LT(difference_to_heun(Domain::ring(101, 0.5), line, 40), 0.02);
        const Options grid{.scheme = Scheme::adi, .step = 0.05, .until = until};
        EXPECT_LT(difference_to_heun(Domain::grid({24, 16, 1}, 0.5), grid, 130), 0.02);
    }
}

TEST(WavesNoise, EndsHaveThatOfInnerNodes) {
    // One step from rest: v is the noise alone, of variance sigma^2 dt / dx at every node
    constexpr double sigma = 0.3, dt = 0.1, dx = 0.5;
    constexpr int runs = 2000;
    std::vector<double> variance(5, 0.0);
    for (int k = 0; k < runs; ++k) {
        dunlin::Run run;
        run.seed = static_cast<std::uint64_t>(k);
        run.threads = 1;
        const Options options{.noise = sigma, .scheme = Scheme::euler, .step = dt, .until = dt};
        const Result result = simulate(Domain::line(5, dx), options, run);
        for (std::size_t i = 0; i < 5; ++i) variance[i] += result.field.v[i] * result.field.v[i] / runs;
    }
    for (const double found : variance) EXPECT_NEAR(found / (sigma * sigma * dt / dx), 1, 4 * std::sqrt(2.0 / runs));
}

}  // namespace
}  // namespace dunlin::waves
