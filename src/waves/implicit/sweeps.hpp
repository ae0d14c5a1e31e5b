// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "waves/implicit/formulas.hpp"
#include "waves/tridiagonal/study.hpp"

namespace dunlin::waves {

/// Alternating directions on grids: half a step of the reaction in each node by the trapezoid rule, a Crank-Nicolson
/// step of the diffusion along each axis, half a step of the reaction (Strang 1968). On a grid without held nodes the
/// axes' operators commute, so the sweeps are the scheme of Peaceman and Rachford (1955) in two dimensions, and stable
/// in three. Odd steps take the axes in reverse order.
class Sweeps {
public:
    Sweeps(device::Cpu& cpu, Model model, const Coefficients& coefficients, const Domain& domain, double dt,
           Solver solver = Solver::automatic);

    /// Step `number` of v and w (empty: none), in place. held: nodes that keep their v. False if Newton's method does
    /// not converge in some node.
    bool step(Offset number, std::span<double> v, std::span<double> w, std::span<const double> current,
              std::span<const Offset> held);

    /// The parts of a step: half a step of the reaction, and of the diffusion of one species along an axis.
    bool react(std::span<double> v, std::span<double> w, std::span<const double> current);
    void sweep(int axis, double diffusion, std::span<double> values, bool has_held);

private:
    /// 8 lines side by side.
    struct Abreast {
        std::vector<double> lower, diagonal, upper, right, values, coupled;
    };
    void sweep_lines(Abreast& lines, Offset first, int count, int axis, double diffusion, std::span<double> values,
                     bool has_held) const;
    void fill_row(Abreast& lines, Index i, Index n, bool periodic, double ratio) const;
    void solve_lines(Index n, const Abreast& lines, std::vector<double>& diagonal, std::vector<double>& right) const;
    void solve_rings(Abreast& lines, Index n) const;
    [[nodiscard]] Offset start_of_line(int axis, Offset line) const;

    device::Cpu& cpu_;
    Coefficients coefficients_;
    Domain domain_;
    double dt_;
    Solver solver_;
    ImplicitConstants half_;
    std::vector<char> is_held_;
    std::vector<Abreast> scratch_;
};

}  // namespace dunlin::waves
