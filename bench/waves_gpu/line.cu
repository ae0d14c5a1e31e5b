// SPDX-License-Identifier: Apache-2.0
#include "bench.cuh"
#include "waves/cuda/line.cuh"

namespace dunlin::bench {

/// Steps on the CPU, one after the other, as the library's plain engine does them.
template <class Law, bool is_heun>
void step_line_on_cpu(const waves::Coefficients& c, double dt, int n, bool periodic, int steps, std::vector<double>& v,
                      std::vector<double>& w) {
    using namespace waves;
    const auto euler_of = [&](const std::vector<double>& a, const std::vector<double>& b, int i) {
        const Node u{a[i], Law::recovers ? b[i] : 0};
        const double laplacian = laplacian_1d(u.v, a[node_before(i, n, periodic)], a[node_after(i, n, periodic)]);
        const Node rate = rates<Law>(c, u, {laplacian, 0}, 0);
        return Node{euler(dt, rate.v, u.v), Law::recovers ? euler(dt, rate.w, u.w) : 0};
    };
    std::vector<double> v1(n), w1(n), v2(n), w2(n);
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            const Node once = euler_of(v, w, i);
            v1[i] = once.v, w1[i] = once.w;
        }
        if (!is_heun) {
            v.swap(v1);
            if (Law::recovers) w.swap(w1);
            continue;
        }
        for (int i = 0; i < n; ++i) {
            const Node twice = euler_of(v1, w1, i);
            v2[i] = heun(v[i], twice.v);
            if (Law::recovers) w2[i] = heun(w[i], twice.w);
        }
        v.swap(v2);
        if (Law::recovers) w.swap(w2);
    }
}

/// A kernel for lines with its number of nodes a lane.
struct LineKernel {
    void (*kernel)(waves::LineSteps);
    int nodes, shared, evaluations;

    [[nodiscard]] int written(int steps) const { return 32 * nodes - 2 * steps * evaluations; }
    void launch(const waves::LineSteps& line, int warps) const {
        const int per_block = written(line.steps) * warps;
        kernel<<<(line.n + per_block - 1) / per_block, 32 * warps, static_cast<std::size_t>(shared) * warps>>>(line);
    }
};

namespace {

template <class Law, bool is_heun, int nodes, int blocks>
LineKernel line_kernel() {
    const auto kernel = waves::step_line<Law, is_heun, nodes, blocks>;
    const int shared = waves::shared_doubles<Law>(nodes) * static_cast<int>(sizeof(double));
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * shared), "shared memory");
    return {kernel, nodes, shared, waves::evaluations_of<is_heun>};
}

template <class Law, bool is_heun>
std::vector<LineKernel> line_kernels() {
    if constexpr (is_heun) {
        return {line_kernel<Law, is_heun, 21, 4>(), line_kernel<Law, is_heun, 31, 3>()};
    } else {
        return {line_kernel<Law, is_heun, 15, 5>(), line_kernel<Law, is_heun, 23, 4>(),
                line_kernel<Law, is_heun, 31, 3>(), line_kernel<Law, is_heun, 43, 2>()};
    }
}

template <class Law, bool is_heun>
void check_lines(Checks& checks, const char* name) {
    for (const LineKernel& kernel : line_kernels<Law, is_heun>()) {
        for (const int n : {1, 2, 3, 31, 33, 1000, 70001, 1 << 20}) {
            for (const bool periodic : {false, true}) {
                for (const int steps : {1, 2, 7, 16, 31}) {
                    if (kernel.written(steps) < 1 || (n > 1000 && (steps > 7) != (kernel.nodes == 31))) continue;
                    if (n > 70001 && (steps != 7 || periodic)) continue;
                    Start start(n);
                    Array<double> v(start.v), w(start.w), v_out(start.v.size()), w_out(start.v.size());
                    v_out.poison();
                    w_out.poison();
                    const waves::LineSteps line{usual_coefficients(), usual_step, v.data(), w.data(), v_out.data(),
                                                w_out.data(),         n,          steps,    periodic};
                    kernel.launch(line, n % 2 == 0 ? 4 : 1);
                    require_launch("line");
                    step_line_on_cpu<Law, is_heun>(line.coefficients, line.dt, n, periodic, steps, start.v, start.w);
                    const std::string what = std::string(name) + " " + std::to_string(kernel.nodes) +
                                             " nodes a lane, n " + std::to_string(n) + ", steps " +
                                             std::to_string(steps) + (periodic ? ", ring" : ", line");
                    checks.equal(what + ", v", v_out.get(), start.v);
                    if (Law::recovers) checks.equal(what + ", w", w_out.get(), start.w);
                }
            }
        }
    }
}

}  // namespace

void check_line(Checks& checks) {
    check_lines<FitzHughNagumo, false>(checks, "euler");
    check_lines<FitzHughNagumo, true>(checks, "heun");
}

namespace {

Times time_of_line(const LineKernel& kernel, int n, int steps, int warps, int launches) {
    const Start start(n);
    const Array<double> v0(start.v), w0(start.w);
    Array<double> v(n), w(n), v_out(n), w_out(n);
    return microseconds(
        [&] {
            v.copy(v0);
            w.copy(w0);
        },
        [&] {
            for (int k = 0; k < launches; ++k) {
                kernel.launch(
                    {usual_coefficients(), usual_step, v.data(), w.data(), v_out.data(), w_out.data(), n, steps, false},
                    warps);
                require_launch("line");
                v.swap(v_out);
                w.swap(w_out);
            }
        });
}

template <bool is_heun>
void time_lines(const std::vector<int>& log_sizes, const std::vector<int>& all_steps) {
    for (const int log_size : log_sizes) {
        const int n = 1 << log_size;
        for (const LineKernel& kernel : line_kernels<FitzHughNagumo, is_heun>()) {
            for (const int steps : all_steps) {
                if (kernel.written(steps) < 16 * kernel.nodes) continue;
                for (const int warps : {1, 4}) {
                    if (warps == 4 && log_size != 24) continue;
                    const int launches = std::max(2, (log_size > 22 ? 256 : 1024) / steps);
                    const Times times = time_of_line(kernel, n, steps, warps, launches);
                    report(std::string(is_heun ? "heun" : "euler") + " nodes " + std::to_string(kernel.nodes) +
                               " steps " + std::to_string(steps) + " warps " + std::to_string(warps),
                           n, is_heun ? 24 : 10, times, 1.0 * steps * launches);
                }
            }
        }
    }
}

}  // namespace

void time_line(const std::string& which) {
    if (which == "line") time_lines<false>({24}, {1, 8, 12, 16, 20, 24, 32, 48, 64});
    if (which == "small") time_lines<false>({20, 22}, {8, 12, 15, 16, 24, 31, 47, 63});
    if (which == "large") time_lines<false>({26, 27}, {16, 24, 32});
    if (which == "heun") time_lines<true>({24}, {4, 8, 12, 16, 24});
}

}  // namespace dunlin::bench
