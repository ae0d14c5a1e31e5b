// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/waves.hpp>

#include "waves/tridiagonal/system.hpp"

namespace dunlin::waves {

/// Solves by one of them; automatic: partition.
void solve(Solver solver, device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right,
           std::span<double> x);

/// Gaussian elimination; scratch: n values.
void solve_thomas(const Tridiagonal& system, std::span<const double> right, std::span<double> x,
                  std::span<double> scratch);

}  // namespace dunlin::waves
