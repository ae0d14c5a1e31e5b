// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "waves/tridiagonal/system.hpp"

namespace dunlin::waves {

/// thomas: Gaussian elimination, serial. cyclic_reduction: halves the system again and again (Hockney 1965).
/// parallel_reduction: the same for all rows at once, n log n operations. hybrid: cyclic reduction down to 64 rows,
/// then parallel_reduction (Zhang, Cohen and Owens 2010). partition and tiles: see system.hpp.
enum class Solver { thomas, cyclic_reduction, parallel_reduction, hybrid, partition, tiles };
constexpr std::array<std::string_view, 6> names(Solver) {
    return {"thomas", "cyclic-reduction", "parallel-reduction", "hybrid", "partition", "tiles"};
}

/// Solves by one of them.
void solve(Solver solver, device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right,
           std::span<double> x);

/// Gaussian elimination; scratch: n values.
void solve_thomas(const Tridiagonal& system, std::span<const double> right, std::span<double> x,
                  std::span<double> scratch);

}  // namespace dunlin::waves
