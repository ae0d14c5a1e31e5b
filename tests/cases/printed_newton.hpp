// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "waves/implicit/formulas.hpp"
#include "waves/tridiagonal/study.hpp"

namespace dunlin::cases {

/// Crank-Nicolson of FitzHugh-Nagumo with ends that copy their neighbor, v[0] = v[1], whose rows in Newton's matrix are
/// (1, end). The derivative of v[0] - v[1] is (1, -1); (1, 1) was published. Returns max |dv| of each iteration of the
/// last of `steps` steps from v; v becomes the state.
inline std::vector<double> copied_ends(std::vector<double>& v, double dt, double dx, double end, int steps) {
    using namespace waves;
    const ImplicitConstants c =
        implicit_constants(Model::fitzhugh_nagumo, Coefficients{}, Coefficients{}.diffusion / (dx * dx), dt);
    const std::size_t n = v.size();
    std::vector<double> w(n, 0.0), known(n), half(n), lower(n), diagonal(n), upper(n), right(n), change(n), scratch(n);
    std::vector<double> norms;
    const auto laplacian = [&](std::size_t i) { return laplacian_1d(v[i], v[i - 1], v[i + 1]); };
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < n; ++i) half[i] = half_recovery(c, v[i], w[i]);
        for (std::size_t i = 1; i + 1 < n; ++i) known[i] = known_of(c, v[i], w[i], half[i], laplacian(i), 0);
        norms.clear();
        do {
            for (std::size_t i = 1; i + 1 < n; ++i) {
                lower[i] = upper[i] = -c.coupling;
                diagonal[i] = diagonal_of(c, v[i]);
                right[i] = residual_of(c, known[i], v[i], laplacian(i));
            }
            diagonal.front() = diagonal.back() = 1;
            upper.front() = lower.back() = end;
            right.front() = v[1] - v[0];
            right.back() = v[n - 2] - v[n - 1];
            solve_thomas({lower, diagonal, upper}, right, change, scratch);
            double norm = 0;
            for (std::size_t i = 0; i < n; ++i) {
                v[i] += change[i];
                norm = std::max(norm, std::abs(change[i]));
            }
            norms.push_back(norm);
        } while (norms.back() > 1e-14 && norms.size() < 40);
        for (std::size_t i = 0; i < n; ++i) w[i] = fused(c.gained, v[i], half[i]);
    }
    return norms;
}

/// Factor of the linear convergence with rows (1, 1): 2 rho / (1 + rho), rho + 1 / rho = 2 + 2 (1 - dt f' / 2) / r with
/// r = dt / dx^2 and the slope f' of the reaction at the wall.
inline double printed_factor(double r, double dt = 0, double slope = 0) {
    const double t = 1 + (1 - dt * slope / 2) / r, rho = t - std::sqrt(t * t - 1);
    return 2 * rho / (1 + rho);
}

}  // namespace dunlin::cases
