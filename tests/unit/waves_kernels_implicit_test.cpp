// SPDX-License-Identifier: Apache-2.0
// The kernels of waves for GPUs, emulated on the CPU: steps of crank-nicolson.
#include <dunlin/waves.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cases/emulated_gpu.hpp"
#include "cases/waves_kernels.hpp"
#include "math/at.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "waves/cuda/implicit.cuh"
#include "waves/implicit/line.hpp"
#include "waves/spans.hpp"
#pragma GCC diagnostic pop

namespace dunlin::waves {
namespace {

using namespace kernels;

/// A step of Crank-Nicolson on the whole line: the same Newton iterations, each by the Thomas algorithm.
void step_whole_line(const ImplicitConstants& c, int newton, std::vector<double>& v, std::vector<double>& w) {
    const auto n = static_cast<Index>(v.size());
    std::vector<double> known(v.size()), half(v.size()), next = v, up(v.size()), d(v.size());
    const auto laplacian = [n](const std::vector<double>& a, Index i) {
        return laplacian_1d(a[at(i)], a[at(node_before(i, n, false))], a[at(node_after(i, n, false))]);
    };
    for (Index i = 0; i < n; ++i) {
        half[at(i)] = half_recovery(c, v[at(i)], w[at(i)]);
        known[at(i)] = known_of(c, v[at(i)], w[at(i)], half[at(i)], laplacian(v, i), 0);
    }
    for (int k = 0; k < newton; ++k) {
        for (Index i = 0; i < n; ++i) {
            const double own = n == 1 ? 2 * c.coupling : 0;  // a single node is its own neighbor
            const double before = i == 0 ? 0 : i == n - 1 ? -2 * c.coupling : -c.coupling;
            const double after = i == n - 1 ? 0 : i == 0 ? -2 * c.coupling : -c.coupling;
            const double pivot = diagonal_of(c, next[at(i)]) - own - (i > 0 ? before * up[at(i) - 1] : 0);
            const double residual = residual_of(c, known[at(i)], next[at(i)], laplacian(next, i));
            up[at(i)] = after / pivot;
            d[at(i)] = (residual - (i > 0 ? before * d[at(i) - 1] : 0)) / pivot;
        }
        for (Index i = n - 2; i >= 0; --i) d[at(i)] -= up[at(i)] * d[at(i) + 1];
        for (Index i = 0; i < n; ++i) next[at(i)] += d[at(i)];
    }
    for (Index i = 0; i < n; ++i) w[at(i)] = fused(c.gained, next[at(i)], half[at(i)]);
    v = next;
}

TEST(WavesKernels, ImplicitTilesTakeTheStepsOfTheWholeLine) {
    constexpr int nodes = 7, newton = 3, threads = 128;
    for (const double dt : {0.25, 2.5}) {
        const ImplicitConstants c = implicit_constants(Model::fitzhugh_nagumo, coefficients(4), 4, dt);
        for (const Index n : {1, 2, 3, 33, 1000, 5001}) {
            Fields fields(n);
            for (double& v : fields.v) v *= 0.5;
            const int halo_parts = dt < 1 ? 5 : 18;
            const ImplicitStep step{c, fields.v.data(), fields.w.data(), fields.v_out.data(), fields.w_out.data(),
                                    n, false,           newton,          halo_parts,          dt < 1 ? 3 : 5};
            const int written = (threads - 2 * halo_parts) * nodes;
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                             2 * sizeof(double) * threads * nodes, n % 2 == 0,
                             [&] { step_implicit<nodes, threads, 1>(step); });
            step_whole_line(c, newton, fields.v, fields.w);
            for (std::size_t i = 0; i < fields.v.size(); ++i) {
                ASSERT_NEAR(fields.v_out[i], fields.v[i], 1e-13) << "node " << i << " of " << n << ", dt " << dt;
                ASSERT_NEAR(fields.w_out[i], fields.w[i], 1e-13) << "node " << i << " of " << n << ", dt " << dt;
            }
        }
    }
}

/// Held nodes, currents, rings and models of one species, against the steps of the CPU.
TEST(WavesKernels, ImplicitTilesTakeTheStepsOfTheCpu) {
    constexpr int nodes = 7, threads = 128;
    device::Cpu cpu(1);
    for (const Model model : {Model::fitzhugh_nagumo, Model::diffusion}) {
        for (const Index n : {1, 2, 3, 33, 1000, 5001}) {
            for (const bool periodic : {false, true}) {
                for (const bool has_inputs : {false, true}) {
                    const ImplicitConstants c = implicit_constants(model, coefficients(4), 4, 0.5);
                    const ImplicitReach reach(c, {nodes, threads});
                    ASSERT_TRUE(reach.suits({nodes, threads}));
                    Fields fields(n);
                    for (double& v : fields.v) v *= 0.5;
                    std::vector<double> current(at(n)), held(at(n), free_node()), next(at(n)), next_w(at(n));
                    std::vector<Offset> held_nodes;
                    for (Index i = 0; i < n && has_inputs; ++i) {
                        current[at(i)] = 0.01 * (i % 7);
                        if (i % 97 != 5 && i % 500 != 499) continue;
                        held[at(i)] = next[at(i)] = 0.8;
                        held_nodes.push_back(i);
                    }
                    const bool recovers = has_recovery(model);
                    unsigned long long iterations = 0;
                    ImplicitStep step{c,
                                      fields.v.data(),
                                      fields.w.data(),
                                      fields.v_out.data(),
                                      fields.w_out.data(),
                                      n,
                                      periodic,
                                      max_newton,
                                      reach.halo_parts,
                                      reach.reductions,
                                      last_change(c),
                                      &iterations};
                    std::vector<double> times(at(n), never), expected(at(n), never);
                    step.activations = {0.3, nullptr, times.data(), 4};
                    step.dt = 0.5;
                    if (!recovers) step.w = nullptr, step.w_out = nullptr;
                    if (has_inputs) step.current = current.data(), step.held = held.data();
                    const int written = (threads - 2 * reach.halo_parts) * nodes;
                    emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                                     2 * sizeof(double) * threads * nodes, n % 2 == 0, [&] {
                                         has_inputs ? step_implicit<nodes, threads, 1, true>(step)
                                                    : step_implicit<nodes, threads, 1>(step);
                                     });
                    CrankNicolson line(cpu, c, n, periodic);
                    const std::span<const double> w =
                        recovers ? std::span<const double>(fields.w) : std::span<const double>();
                    const int newton = line.step(fields.v, w, current, held_nodes, next, next_w);
                    EXPECT_NEAR(static_cast<double>(iterations), newton, 1) << n;
                    activate_span(time_of(0.5, 4), 0.5, 0.3, fields.v.data(), fields.v_out.data(), expected.data(), n);
                    EXPECT_EQ(times, expected);
                    for (std::size_t i = 0; i < next.size(); ++i) {
                        ASSERT_NEAR(fields.v_out[i], next[i], 1e-12)
                            << "node " << i << " of " << n << (periodic ? ", ring" : "");
                        if (recovers) {
                            ASSERT_NEAR(fields.w_out[i], next_w[i], 1e-12) << "node " << i << " of " << n;
                        }
                    }
                }
            }
        }
    }
}

/// A steep place in the halo, where nothing is written, is a part of the tile's equations.
TEST(WavesKernels, ImplicitTilesConvergeInTheirHalos) {
    constexpr int nodes = 7, threads = 128;
    constexpr Index n = 1200;
    device::Cpu cpu(1);
    for (const double dt : {0.25, 2.0}) {
        const ImplicitConstants c = implicit_constants(Model::nagumo, coefficients(4), 4, dt);
        const ImplicitReach reach(c, {nodes, threads});
        const int written = (threads - 2 * reach.halo_parts) * nodes;
        for (int beyond = 1; beyond <= reach.halo_parts * nodes; beyond += 9) {
            const std::vector<double> v(n);
            std::vector<double> held(n, free_node()), out(n), next(n), next_w(n);
            held[at(written - 1 + beyond)] = next[at(written - 1 + beyond)] = 1;
            ImplicitStep step{c,     v.data(),   nullptr,          out.data(),       nullptr,       n,
                              false, max_newton, reach.halo_parts, reach.reductions, last_change(c)};
            step.held = held.data();
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                             2 * sizeof(double) * threads * nodes, false,
                             [&] { step_implicit<nodes, threads, 1, true>(step); });
            CrankNicolson(cpu, c, n, false).step(v, {}, {}, std::vector<Offset>{written - 1 + beyond}, next, next_w);
            for (std::size_t i = 0; i < next.size(); ++i)
                ASSERT_NEAR(out[i], next[i], 2e-12) << "node " << i << ", dt " << dt << ", held " << beyond;
        }
    }
}

}  // namespace
}  // namespace dunlin::waves
