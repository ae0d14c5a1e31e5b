// SPDX-License-Identifier: Apache-2.0
#include "waves/implicit/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"

namespace dunlin::waves {

namespace {

constexpr Offset grain = 4096;

/// v and w after half a step of the reaction. False if Newton's method does not converge.
bool react_node(const ImplicitConstants& c, double current, double& v, double& w) {
    const double half = half_recovery(c, v, w);
    const double known = known_of(c, v, w, half, 0, current);
    double next = v;
    for (int k = 0; k < max_newton; ++k) {
        const double change = residual_of(c, known, next, 0) / diagonal_of(c, next);
        next += change;
        if (std::abs(change) > newton_tolerance || std::isnan(change)) continue;
        v = next;
        w = fused(c.gained, next, half);
        return true;
    }
    return false;
}

std::size_t place(Index i, int line) { return at(Offset{i} * lines_abreast + line); }

}  // namespace

Sweeps::Sweeps(device::Cpu& cpu, Model model, const Coefficients& coefficients, const Domain& domain, double dt,
               Solver solver)
    : cpu_(cpu),
      coefficients_(coefficients),
      domain_(domain),
      dt_(dt),
      solver_(solver),
      half_(implicit_constants(model, coefficients, 0, dt / 2)),
      is_held_(at(domain.size()), 0),
      scratch_(at(cpu.threads())) {
    const Index longest = *std::max_element(domain.nodes.begin(), domain.nodes.end());
    for (Abreast& lines : scratch_) {
        for (auto* rows : {&lines.lower, &lines.diagonal, &lines.upper, &lines.right, &lines.values, &lines.coupled})
            rows->resize(at(Offset{longest} * lines_abreast));
    }
}

bool Sweeps::step(Offset number, std::span<double> v, std::span<double> w, std::span<const double> current,
                  std::span<const Offset> held) {
    for (const Offset i : held) is_held_[at(i)] = 1;
    bool converged = react(v, w, current);
    for (int k = 0; k < 3; ++k) {
        const int axis = number % 2 == 0 ? k : 2 - k;
        if (domain_.nodes[at(axis)] < 2) continue;
        sweep(axis, coefficients_.diffusion, v, !held.empty());
        if (!w.empty() && coefficients_.recovery_diffusion > 0) sweep(axis, coefficients_.recovery_diffusion, w, false);
    }
    converged = react(v, w, current) && converged;
    for (const Offset i : held) is_held_[at(i)] = 0;
    return converged;
}

bool Sweeps::react(std::span<double> v, std::span<double> w, std::span<const double> current) {
    const auto n = static_cast<Offset>(v.size());
    std::vector<char> failed(at((n + grain - 1) / grain), 0);
    cpu_.blocks(n, grain, [&](Offset begin, Offset end, int) {
        for (Offset i = begin; i < end; ++i) {
            double none = 0;
            const double before = v[at(i)];
            double& recovery = w.empty() ? none : w[at(i)];
            if (!react_node(half_, current.empty() ? 0 : current[at(i)], v[at(i)], recovery))
                failed[at(begin / grain)] = 1;
            if (is_held_[at(i)] != 0) v[at(i)] = before;
        }
    });
    return std::find(failed.begin(), failed.end(), 1) == failed.end();
}

void Sweeps::sweep(int axis, double diffusion, std::span<double> values, bool has_held) {
    const Offset lines = domain_.size() / domain_.nodes[at(axis)];
    cpu_.blocks(lines, lines_abreast, [&](Offset begin, Offset end, int worker) {
        sweep_lines(scratch_[at(worker)], begin, static_cast<int>(end - begin), axis, diffusion, values, has_held);
    });
}

Offset Sweeps::start_of_line(int axis, Offset line) const {
    Offset stride = 1;
    for (int k = 0; k < axis; ++k) stride *= domain_.nodes[at(k)];
    return line % stride + line / stride * stride * domain_.nodes[at(axis)];
}

/// Row i of (1 - ratio L / 2) change = ratio L v, in every line.
void Sweeps::fill_row(Abreast& lines, Index i, Index n, bool periodic, double ratio) const {
    const Index before = node_before(i, n, periodic), after = node_after(i, n, periodic);
    const bool is_first = i == 0 && !periodic, is_last = i == n - 1 && !periodic;
    for (int j = 0; j < lines_abreast; ++j) {
        const std::size_t k = place(i, j);
        lines.lower[k] = is_first ? 0 : is_last ? -ratio : -ratio / 2;
        lines.upper[k] = is_last ? 0 : is_first ? -ratio : -ratio / 2;
        lines.diagonal[k] = 1 + ratio;
        lines.right[k] =
            ratio * laplacian_1d(lines.values[k], lines.values[place(before, j)], lines.values[place(after, j)]);
    }
}

void Sweeps::sweep_lines(Abreast& lines, Offset first, int count, int axis, double diffusion, std::span<double> values,
                         bool has_held) const {
    const Index n = domain_.nodes[at(axis)];
    const bool periodic = domain_.periodic[at(axis)] && n > 2;
    Offset stride = 1;
    for (int k = 0; k < axis; ++k) stride *= domain_.nodes[at(k)];
    std::fill(lines.values.begin(), lines.values.end(), 0.0);
    for (int j = 0; j < count; ++j) {
        const Offset start = start_of_line(axis, first + j);
        for (Index i = 0; i < n; ++i) lines.values[place(i, j)] = values[at(start + stride * i)];
    }
    for (Index i = 0; i < n; ++i) fill_row(lines, i, n, periodic, dt_ * diffusion);
    for (int j = 0; has_held && j < count; ++j) {
        const Offset start = start_of_line(axis, first + j);
        for (Index i = 0; i < n; ++i) {
            if (is_held_[at(start + stride * i)] == 0) continue;
            const std::size_t k = place(i, j);
            lines.lower[k] = lines.upper[k] = lines.right[k] = 0;
            lines.diagonal[k] = 1;
        }
    }
    if (periodic) {
        solve_rings(lines, n);
    } else {
        solve_lines(n, lines, lines.diagonal, lines.right);
    }
    for (int j = 0; j < count; ++j) {
        const Offset start = start_of_line(axis, first + j);
        for (Index i = 0; i < n; ++i) values[at(start + stride * i)] += lines.right[place(i, j)];
    }
}

/// The first n rows of each line: right becomes the solution, diagonal is overwritten.
void Sweeps::solve_lines(Index n, const Abreast& lines, std::vector<double>& diagonal,
                         std::vector<double>& right) const {
    if (solver_ == Solver::automatic)
        return solve_abreast(n, lines.lower.data(), diagonal.data(), lines.upper.data(), right.data());
    device::Cpu alone(1);  // lines are side by side already
    std::vector<double> lower(at(n)), middle(at(n)), upper(at(n)), known(at(n)), x(at(n));
    for (int j = 0; j < lines_abreast; ++j) {
        for (Index i = 0; i < n; ++i) {
            const std::size_t k = place(i, j);
            lower[at(i)] = lines.lower[k], middle[at(i)] = diagonal[k], upper[at(i)] = lines.upper[k];
            known[at(i)] = right[k];
        }
        solve(solver_, alone, {lower, middle, upper}, known, x);
        for (Index i = 0; i < n; ++i) right[place(i, j)] = x[at(i)];
    }
}

/// As CrankNicolson::solve_ring.
void Sweeps::solve_rings(Abreast& lines, Index n) const {
    std::vector<double> diagonal = lines.diagonal;
    std::fill(lines.coupled.begin(), lines.coupled.end(), 0.0);
    for (int j = 0; j < lines_abreast; ++j) {
        lines.coupled[place(0, j)] = -lines.lower[place(0, j)];
        lines.coupled[place(n - 2, j)] -= lines.upper[place(n - 2, j)];
    }
    solve_lines(n - 1, lines, lines.diagonal, lines.right);
    solve_lines(n - 1, lines, diagonal, lines.coupled);
    for (int j = 0; j < lines_abreast; ++j) {
        const std::size_t last = place(n - 1, j), before = place(n - 2, j), first = place(0, j);
        const double lower = lines.lower[last], upper = lines.upper[last];
        const double x = (lines.right[last] - lower * lines.right[before] - upper * lines.right[first]) /
                         (lines.diagonal[last] + lower * lines.coupled[before] + upper * lines.coupled[first]);
        for (Index i = 0; i < n - 1; ++i) lines.right[place(i, j)] += x * lines.coupled[place(i, j)];
        lines.right[last] = x;
    }
}

}  // namespace dunlin::waves
