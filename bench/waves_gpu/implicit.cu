// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bench.cuh"
#include "waves/cuda/implicit.cuh"

namespace dunlin::bench {

namespace {

constexpr int newton = 3;

/// A step on the CPU: the same Newton iterations, each by the Thomas algorithm on the whole line.
void step_implicit_on_cpu(const waves::ImplicitConstants& c, int n, std::vector<double>& v, std::vector<double>& w) {
    using namespace waves;
    std::vector<double> known(n), half(n), next = v, up(n), d(n);
    const auto laplacian = [n](const std::vector<double>& a, int i) {
        return laplacian_1d(a[i], a[node_before(i, n, false)], a[node_after(i, n, false)]);
    };
    for (int i = 0; i < n; ++i) {
        half[i] = half_recovery(c, v[i], w[i]);
        known[i] = known_of(c, v[i], w[i], half[i], laplacian(v, i), 0);
    }
    for (int k = 0; k < newton; ++k) {
        for (int i = 0; i < n; ++i) {
            double diagonal = diagonal_of(c, next[i]);
            if (n == 1) diagonal -= 2 * c.coupling;  // its own neighbor
            const double before = i == 0 ? 0 : i == n - 1 ? -2 * c.coupling : -c.coupling;
            const double after = i == n - 1 ? 0 : i == 0 ? -2 * c.coupling : -c.coupling;
            const double pivot = diagonal - (i > 0 ? before * up[i - 1] : 0);
            up[i] = after / pivot;
            d[i] = (residual_of(c, known[i], next[i], laplacian(next, i)) - (i > 0 ? before * d[i - 1] : 0)) / pivot;
        }
        for (int i = n - 2; i >= 0; --i) d[i] -= up[i] * d[i + 1];
        for (int i = 0; i < n; ++i) next[i] += d[i];
    }
    for (int i = 0; i < n; ++i) w[i] = fused(c.gained, next[i], half[i]);
    v = next;
}

struct ImplicitKernel {
    void (*kernel)(waves::ImplicitStep);
    int nodes, threads, blocks;

    [[nodiscard]] std::string name() const {
        return "nodes " + std::to_string(nodes) + " threads " + std::to_string(threads) + " blocks " +
               std::to_string(blocks);
    }

    void launch(waves::ImplicitStep step, const waves::ImplicitReach& reach) const {
        step.halo_parts = reach.halo_parts;
        step.reductions = reach.reductions;
        const int written = (threads - 2 * step.halo_parts) * nodes;
        const int shared = 2 * threads * nodes * static_cast<int>(sizeof(double));
        require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
        kernel<<<(step.n + written - 1) / written, threads, shared>>>(step);
        require_launch("implicit");
    }
};

template <int nodes, int threads, int blocks>
ImplicitKernel implicit_kernel() {
    return {waves::step_implicit<nodes, threads, blocks>, nodes, threads, blocks};
}

std::vector<ImplicitKernel> implicit_kernels() {
    return {implicit_kernel<9, 128, 4>(), implicit_kernel<11, 128, 4>(), implicit_kernel<13, 128, 4>(),
            implicit_kernel<9, 256, 2>(), implicit_kernel<11, 256, 2>(), implicit_kernel<13, 256, 2>()};
}

}  // namespace

void check_implicit(Checks& checks) {
    for (const double dt : {0.25, 2.5}) {
        const waves::ImplicitConstants c =
            waves::implicit_constants(waves::Model::fitzhugh_nagumo, usual_coefficients(), 4, dt);
        for (const ImplicitKernel& kernel : implicit_kernels()) {
            for (const int n : {1, 2, 3, 31, 33, 1000, 70001}) {
                const waves::ImplicitReach reach(c, {kernel.nodes, kernel.threads});
                Start start(n);
                for (double& v : start.v) v *= 0.5;
                Array<double> v(start.v), w(start.w), v_out(start.v.size()), w_out(start.v.size());
                for (int step = 0; step < 3; ++step) {
                    v_out.poison();
                    w_out.poison();
                    kernel.launch({c, v.data(), w.data(), v_out.data(), w_out.data(), n, false, newton, 0, 0}, reach);
                    step_implicit_on_cpu(c, n, start.v, start.w);
                    v.swap(v_out);
                    w.swap(w_out);
                }
                double largest = 0;
                const std::vector<double> got = v.get(), got_w = w.get();
                for (int i = 0; i < n; ++i) {
                    const double error = std::max(std::abs(got[i] - start.v[i]), std::abs(got_w[i] - start.w[i]));
                    largest = error <= largest ? largest : error;
                }
                checks.at_most("implicit " + kernel.name() + " n " + std::to_string(n) + " dt " + std::to_string(dt),
                               largest, 1e-13);
            }
        }
    }
}

void time_implicit() {
    for (const int log_size : {20, 22, 24, 26}) {
        const int n = 1 << log_size;
        const Start start(n);
        const Array<double> v0(start.v), w0(start.w);
        Array<double> v(n), w(n), v_out(n), w_out(n);
        for (const double dt : {0.25, 2.5}) {
            const waves::ImplicitConstants c =
                waves::implicit_constants(waves::Model::fitzhugh_nagumo, usual_coefficients(), 4, dt);
            for (const ImplicitKernel& kernel : implicit_kernels()) {
                const waves::ImplicitReach reach(c, {kernel.nodes, kernel.threads});
                const int launches = 16;
                const Times times = microseconds(
                    [&] {
                        v.copy(v0);
                        w.copy(w0);
                    },
                    [&] {
                        for (int k = 0; k < launches; ++k) {
                            kernel.launch({c, v.data(), w.data(), v_out.data(), w_out.data(), n, false,
                                           waves::max_newton, 0, 0, waves::last_change(c)},
                                          reach);
                            v.swap(v_out);
                            w.swap(w_out);
                        }
                    });
                report("crank-nicolson dt " + std::to_string(dt) + " " + kernel.name() + " halo " +
                           std::to_string(reach.halo_parts * kernel.nodes) + " reductions " +
                           std::to_string(reach.reductions),
                       n, 100, times, launches);
            }
        }
    }
}

}  // namespace dunlin::bench
