// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "waves/implicit/formulas.hpp"
#include "waves/tridiagonal/study.hpp"

namespace dunlin::waves {

/// Crank-Nicolson steps of a line (ghost nodes at its ends) or a ring.
class CrankNicolson {
public:
    CrankNicolson(device::Cpu& cpu, const ImplicitConstants& constants, Offset n, bool periodic,
                  Solver solver = Solver::automatic);

    /// A step from v and w (empty: none) to v_next and w_next. current: empty or per node, the mean over the step.
    /// held: nodes whose v_next is given in v_next. Returns the Newton iterations, or 0 if they do not converge.
    int step(std::span<const double> v, std::span<const double> w, std::span<const double> current,
             std::span<const Offset> held, std::span<double> v_next, std::span<double> w_next);

    /// The norms max |dv| of the last step's iterations.
    [[nodiscard]] const std::vector<double>& norms() const { return norms_; }

private:
    [[nodiscard]] double laplacian(std::span<const double> v, Offset i) const;
    void find_known(std::span<const double> v, std::span<const double> w, std::span<const double> current);
    double iterate(std::span<const Offset> held, std::span<double> v);
    void solve_system(const Tridiagonal& system, std::span<const double> right, std::span<double> x);
    void solve_ring();

    device::Cpu& cpu_;
    ImplicitConstants constants_;
    Offset n_;
    bool periodic_;
    Solver solver_;
    Partition partition_;
    std::vector<double> lower_, diagonal_, upper_, right_, change_, half_, known_, ring_;
    std::vector<double> norms_;
};

}  // namespace dunlin::waves
