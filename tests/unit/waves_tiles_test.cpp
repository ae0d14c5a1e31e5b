// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <dunlin/waves.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "waves/plain.hpp"
#include "waves/simulate.hpp"

namespace dunlin::waves {
namespace {

void expect_same_bytes(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    })) << what;
}

void expect_same(const Result& a, const Result& b, const std::string& what) {
    expect_same_bytes(a.field.v, b.field.v, what + " v");
    expect_same_bytes(a.field.w, b.field.w, what + " w");
    expect_same_bytes(a.activation, b.activation, what + " activation");
}

/// The reference: one step after the other over the whole domain.
Result plain(const Domain& domain, const Options& options, const Given& given) {
    device::Cpu cpu(1);
    const Problem problem = problem_of(cpu, domain, options, {}, given);
    PlainEngine engine(cpu, problem, start_of(problem, given));
    engine.advance(0, static_cast<Offset>(std::ceil(*options.until / *problem.options.step - 0.5)),
                   *problem.options.step);
    const State state = engine.state();
    Result result;
    result.field = {state.v, state.w};
    result.activation = state.activation;
    return result;
}

std::vector<double> uneven(Offset n) {
    std::vector<double> values(at(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = math::random_uniform(3, i) - 0.2;
    return values;
}

std::vector<Domain> domains() {
    return {Domain::line(1),
            Domain::line(2),
            Domain::line(3),
            Domain::line(33, 0.5),
            Domain::line(1000, 0.5),
            Domain::ring(1),
            Domain::ring(2),
            Domain::ring(31),
            Domain::ring(300, 0.5),
            Domain::grid({17, 23, 1}),
            Domain::grid({40, 3, 1}, 1, true),
            Domain::grid({1, 9, 1}),
            Domain::grid({7, 6, 5}),
            Domain::grid({5, 1, 9}, 1, true),
            Domain::grid({9, 8, 11}, 0.5, true)};
}

std::string name_of(const Domain& domain, int tile, int depth) {
    return std::to_string(domain.nodes[0]) + "x" + std::to_string(domain.nodes[1]) + "x" +
           std::to_string(domain.nodes[2]) + (domain.periodic[0] ? " periodic" : "") + " tile " + std::to_string(tile) +
           " depth " + std::to_string(depth);
}

void compare_all(Options options, bool has_current, bool has_stimuli) {
    options.until = 1.5;
    for (const Domain& domain : domains()) {
        const Offset n = domain.size();
        const std::vector<double> start = uneven(n), current = uneven(n + 1);
        Given given{.v = start};
        if (has_current) given.current = std::span(current).first(at(n));
        if (has_stimuli) {
            given.stimuli = {{.vertex = 0, .value = 0.75, .from = 0, .to = 0.5, .every = 0.75},
                             {.vertex = static_cast<Index>(n - 1), .value = -0.5}};
        }
        const Result reference = plain(domain, options, given);
        for (const auto& [tile, depth] : {std::pair{0, 0}, {1, 2}, {3, 1}, {8, 5}, {1000, 12}}) {
            options.tile = tile;
            options.depth = depth;
            for (const int threads : {1, 3}) {
                expect_same(simulate(domain, options, {.threads = threads}, given), reference,
                            name_of(domain, tile, depth));
            }
        }
    }
}

TEST(WavesTiles, HeunGivesTheBytesOfWholeSteps) { compare_all({.scheme = Scheme::heun}, false, true); }

TEST(WavesTiles, EulerWithNoiseAndCurrent) { compare_all({.noise = 0.1, .scheme = Scheme::euler}, true, false); }

TEST(WavesTiles, GrayScottAndDiffusingRecovery) {
    compare_all({.model = Model::gray_scott, .scheme = Scheme::euler}, false, true);
    compare_all({.recovery_diffusion = 0.5}, false, false);
}

TEST(WavesTiles, SkipsWhatRestsAndChangesNoByte) {
    for (const Model model : {Model::fitzhugh_nagumo, Model::gray_scott}) {
        const Domain domain = Domain::line(4000);
        Options options{.model = model, .scheme = Scheme::heun, .until = 40};
        const Given given{.stimuli = {{.vertex = 2000, .value = 1, .from = 5, .to = 15}}};
        const Result reference = plain(domain, options, given);
        options.tile = 64;
        options.depth = 4;
        const Result result = simulate(domain, options, {}, given);
        expect_same(result, reference, "skipping");
        EXPECT_GT(result.skipped, 2000 * result.iterations);
        options.noise = 1e-3;
        options.scheme = Scheme::euler;
        EXPECT_EQ(simulate(domain, options, {}, given).skipped, 0);
    }
}

TEST(WavesTiles, GraphsGiveTheSameBytesForAnyNumberOfThreads) {
    // A ring with chords, degrees 2 to 100
    constexpr Index n = 3000;
    std::vector<std::vector<std::pair<Index, float>>> rows(n);
    const auto link = [&](Index a, Index b, float w) { rows[at(a)].push_back({b, w}), rows[at(b)].push_back({a, w}); };
    for (Index i = 0; i < n; ++i) link(i, (i + 1) % n, 1.0F + 0.1F * static_cast<float>(i % 7));
    for (Index i = 2; i < 100; ++i) link(0, 29 * i, 0.5F);
    Graph graph;
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        for (const auto& [target, weight] : row) graph.targets.push_back(target), graph.weights.push_back(weight);
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    for (const Laplacian laplacian : {Laplacian::combinatorial, Laplacian::random_walk}) {
        for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
            const Options options{.laplacian = laplacian, .scheme = scheme, .until = 20};
            const Given given{.stimuli = {{.vertex = 17, .to = 10}}};
            const Domain domain = Domain::on(graph);
            expect_same(simulate(domain, options, {.threads = 4}, given),
                        simulate(domain, options, {.threads = 1}, given), std::string(dunlin::name_of(scheme)));
        }
    }
}

}  // namespace
}  // namespace dunlin::waves
