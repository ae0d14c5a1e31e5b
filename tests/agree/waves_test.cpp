// SPDX-License-Identifier: Apache-2.0
#include <dunlin/waves.hpp>

#include <cmath>
#include <string>

#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/waves_ranks.hpp"
#include "math/at.hpp"

namespace dunlin::waves {
namespace {

/// A start with excited nodes at random.
struct Start {
    std::vector<double> v, w;
    explicit Start(Offset n) : v(at(n)), w(at(n)) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = 1.2 * math::random_uniform(5, i, 0) - 0.2;
            w[i] = 0.1 * math::random_uniform(5, i, 1);
        }
    }
};

void expect_devices_agree(const Domain& domain, Options options, const std::string& what,
                          std::vector<Stimulus> stimuli = {}, int steps = 53) {
    if (!options.until) options.steps = steps;
    const Start start(domain.size());
    Given given{.v = start.v, .stimuli = std::move(stimuli)};
    if (options.model == Model::fitzhugh_nagumo || options.model == Model::gray_scott) given.w = start.w;
    const Result cpu = simulate(domain, options, {.device = Device::cpu}, given);
    const Result gpu = simulate(domain, options, {.device = Device::cuda}, given);
    EXPECT_EQ(gpu.device, Device::cuda);
    EXPECT_TRUE(same_bytes(gpu.field.v, cpu.field.v)) << what;
    EXPECT_TRUE(same_bytes(gpu.field.w, cpu.field.w)) << what;
    EXPECT_TRUE(same_bytes(gpu.activation, cpu.activation)) << what;
    EXPECT_EQ(gpu.iterations, cpu.iterations) << what;
    EXPECT_EQ(gpu.time, cpu.time) << what;
    EXPECT_EQ(gpu.stopped, cpu.stopped) << what;
    EXPECT_EQ(gpu.speed, cpu.speed) << what;
}

TEST(CudaWaves, LinesAndRingsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1, 2, 3, 31, 33, 1000, 70001})) {
        for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
            for (const Model model : {Model::fitzhugh_nagumo, Model::nagumo}) {
                const std::string what =
                    std::to_string(n) + " nodes, scheme " + std::to_string(static_cast<int>(scheme));
                expect_devices_agree(Domain::line(n, 0.5), {.model = model, .scheme = scheme}, what);
                expect_devices_agree(Domain::ring(n, 0.5), {.model = model, .scheme = scheme}, what + ", ring");
            }
        }
    }
}

/// Overlapping tiles on a GPU and the partition method on a CPU solve the same equations to rounding.
void expect_implicit_agrees(const Domain& domain, const Options& options, const std::string& what,
                            std::vector<Stimulus> stimuli = {}) {
    const Start start(domain.size());
    Given given{.v = start.v, .stimuli = std::move(stimuli)};
    if (options.model == Model::fitzhugh_nagumo) given.w = start.w;
    const Result cpu = simulate(domain, options, {.device = Device::cpu}, given);
    const Result gpu = simulate(domain, options, {.device = Device::cuda}, given);
    EXPECT_EQ(gpu.device, Device::cuda);
    EXPECT_EQ(gpu.iterations, cpu.iterations) << what;
    EXPECT_NEAR(static_cast<double>(gpu.newton), static_cast<double>(cpu.newton), gpu.iterations) << what;
    ASSERT_EQ(gpu.field.v.size(), cpu.field.v.size());
    ASSERT_EQ(gpu.field.w.size(), cpu.field.w.size());
    for (std::size_t i = 0; i < cpu.field.v.size(); ++i) {
        ASSERT_NEAR(gpu.field.v[i], cpu.field.v[i], 1e-9) << what << ", node " << i;
        if (!cpu.field.w.empty()) {
            ASSERT_NEAR(gpu.field.w[i], cpu.field.w[i], 1e-9) << what << ", node " << i;
        }
        ASSERT_EQ(std::isinf(gpu.activation[i]), std::isinf(cpu.activation[i])) << what << ", node " << i;
        if (!std::isinf(cpu.activation[i])) {
            ASSERT_NEAR(gpu.activation[i], cpu.activation[i], 1e-6) << what << ", node " << i;
        }
    }
}

TEST(CudaWaves, CrankNicolsonAgreesToRounding) {
    DUNLIN_NEEDS_GPU();
    const std::vector<Stimulus> stimuli{{.vertex = 0, .value = 0.9, .from = 2, .to = 6},
                                        {.vertex = 0, .value = 0.8, .to = 3, .every = 10}};
    for (const Index n : agree::sizes({1, 2, 3, 31, 33, 1000, 70001})) {
        for (const Model model : {Model::fitzhugh_nagumo, Model::nagumo, Model::diffusion}) {
            for (const double step : {0.25, 2.0}) {
                const Options options{.model = model, .scheme = Scheme::crank_nicolson, .step = step, .steps = 20};
                const std::string what = std::to_string(n) + " nodes, model " + std::to_string(static_cast<int>(model));
                expect_implicit_agrees(Domain::line(n, 0.5), options, what);
                expect_implicit_agrees(Domain::ring(n, 0.5), options, what + ", ring");
                Options driven = options;
                driven.current = 0.01;
                expect_implicit_agrees(Domain::line(n, 0.5), driven, what + ", driven", stimuli);
                expect_implicit_agrees(Domain::ring(n, 0.5), driven, what + ", driven ring", stimuli);
            }
        }
    }
}

TEST(CudaWaves, CrankNicolsonWithoutTilesIsRefused) {
    DUNLIN_NEEDS_GPU();
    const Options options{.scheme = Scheme::crank_nicolson, .step = 2.0, .steps = 1};
    EXPECT_THROW(simulate(Domain::line(1000, 0.01), options, {.device = Device::cuda}, {}), Error);
    EXPECT_EQ(simulate(Domain::line(200'000, 0.01), options, {}, {}).device, Device::cpu);
}

TEST(CudaWaves, GridsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const std::array<Index, 3>& nodes :
         {std::array<Index, 3>{1, 7, 1}, {33, 31, 1}, {131, 70, 1}, {260, 270, 1}, {9, 8, 7}, {30, 20, 10}}) {
        for (const bool periodic : {false, true}) {
            for (const Scheme scheme : {Scheme::euler, Scheme::heun}) {
                expect_devices_agree(Domain::grid(nodes, 1, periodic), {.scheme = scheme},
                                     std::to_string(nodes[0]) + " x " + std::to_string(nodes[1]));
            }
        }
    }
}

TEST(CudaWaves, ModelsNoiseAndCurrentHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Domain& domain : {Domain::line(300), Domain::grid({30, 20, 1})}) {
        for (const Model model : {Model::fitzhugh_nagumo, Model::nagumo, Model::diffusion, Model::gray_scott}) {
            const std::string what = "model " + std::to_string(static_cast<int>(model));
            expect_devices_agree(domain, {.model = model, .scheme = Scheme::euler}, what);
            expect_devices_agree(domain, {.model = model, .current = 0.01, .scheme = Scheme::euler},
                                 what + ", current");
            expect_devices_agree(domain, {.model = model, .noise = 0.01, .scheme = Scheme::euler}, what + ", noise");
        }
        expect_devices_agree(domain, {.recovery_diffusion = 0.3, .scheme = Scheme::heun}, "w diffuses");
    }
}

TEST(CudaWaves, GraphsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({2, 33, 1000, 20000})) {
        for (const Laplacian laplacian : {Laplacian::combinatorial, Laplacian::random_walk}) {
            for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
                const Graph star = agree::star(n);
                expect_devices_agree(Domain::on(star), {.laplacian = laplacian, .scheme = scheme},
                                     "star of " + std::to_string(n));
            }
        }
    }
}

/// Edges of random vertices, of which those of two hubs, and vertices without edges; vertices in random order.
Graph graph_with_hubs(Index n, bool is_weighted) {
    std::vector<made::Edge> edges;
    const auto uniform = [](std::uint64_t e, std::uint64_t which) { return math::random_uniform(9, e, which); };
    const auto vertex = [&](std::uint64_t e, std::uint64_t which) {
        return static_cast<Index>(uniform(e, which) * (n - 3));
    };
    for (std::uint64_t e = 0; e < 4 * static_cast<std::uint64_t>(n); ++e) {
        const Index from = e % 4 == 0 ? (e % 80 == 0 ? 1 : 2) : vertex(e, 0);
        edges.push_back({from, vertex(e, 1), is_weighted ? 0.01F + 0.01F * static_cast<float>(uniform(e, 2)) : 1.0F});
    }
    return made::graph_of(n, edges);
}

TEST(CudaWaves, GraphsWithHubsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1000, 20001})) {
        for (const bool is_weighted : {false, true}) {
            const Graph graph = graph_with_hubs(n, is_weighted);
            Offset longest = 0;
            for (std::size_t i = 0; i + 1 < graph.offsets.size(); ++i)
                longest = std::max(longest, graph.offsets[i + 1] - graph.offsets[i]);
            EXPECT_GT(longest, n > 20000 ? 8192 : 256);
            for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
                const std::string what = "hubs, " + std::to_string(n) + " vertices, scheme " +
                                         std::to_string(static_cast<int>(scheme)) + (is_weighted ? ", weighted" : "");
                expect_devices_agree(Domain::on(graph), {.diffusion = 0.5, .scheme = scheme}, what, {}, 11);
                expect_devices_agree(Domain::on(graph), {.diffusion = 0.5, .recovery_diffusion = 0.3, .scheme = scheme},
                                     what + ", w diffuses", {}, 11);
            }
            expect_devices_agree(Domain::on(graph), {.model = Model::nagumo, .current = 0.01, .scheme = Scheme::heun},
                                 "hubs, nagumo, current", {}, 11);
            expect_devices_agree(Domain::on(graph), {.noise = 0.01, .scheme = Scheme::euler}, "hubs, noise", {}, 11);
        }
    }
}

/// Stimuli that begin and end, and a pulse that rises to the level in tiles.
TEST(CudaWaves, StimuliAndActivationsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    const std::vector<Stimulus> stimuli{{.vertex = 5, .from = 2, .to = 6},
                                        {.vertex = 250, .value = 0.8, .to = 3, .every = 40},
                                        {.vertex = 250, .value = 0.9, .from = 1, .to = 2}};
    for (const Scheme scheme : {Scheme::euler, Scheme::heun}) {
        for (const Domain& domain : {Domain::line(3000, 0.5), Domain::grid({60, 50, 1})}) {
            const Result cpu =
                simulate(domain, {.scheme = scheme, .until = 30}, {.device = Device::cpu}, {.stimuli = stimuli});
            const Result gpu =
                simulate(domain, {.scheme = scheme, .until = 30}, {.device = Device::cuda}, {.stimuli = stimuli});
            EXPECT_TRUE(same_bytes(gpu.activation, cpu.activation));
            EXPECT_TRUE(same_bytes(gpu.field.v, cpu.field.v));
            EXPECT_TRUE(same_bytes(gpu.field.w, cpu.field.w));
            EXPECT_LT(cpu.activation[5], 7);
        }
        expect_devices_agree(Domain::line(5000, 0.5), {.scheme = scheme}, "one stimulus", {stimuli[0]}, 400);
    }
}

TEST(CudaWaves, RestEndsBothAlike) {
    DUNLIN_NEEDS_GPU();
    const Domain domain = Domain::line(200, 0.5);
    const std::vector<Stimulus> stimuli{{.vertex = 0, .to = 5}};
    const Result cpu = simulate(domain, {.rest = 1e-3}, {.device = Device::cpu}, {.stimuli = stimuli});
    const Result gpu = simulate(domain, {.rest = 1e-3}, {.device = Device::cuda}, {.stimuli = stimuli});
    EXPECT_EQ(gpu.iterations, cpu.iterations);
    EXPECT_EQ(gpu.stopped, Stopped::converged);
    EXPECT_TRUE(same_bytes(gpu.field.v, cpu.field.v));
}

TEST(CudaWaves, AToleranceIsRefused) {
    DUNLIN_NEEDS_GPU();
    EXPECT_THROW(simulate(Domain::line(9), {.tolerance = 1e-3}, {.device = Device::cuda}), Error);
}

}  // namespace
}  // namespace dunlin::waves
