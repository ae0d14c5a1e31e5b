// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "device/cpu.hpp"

/// Tridiagonal systems  lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i].
namespace dunlin::waves {

/// lower[0] and upper[n-1] are not read. Solvers do not pivot: |lower| + |upper| < |diagonal| must hold in each row.
struct Tridiagonal {
    std::span<const double> lower, diagonal, upper;

    [[nodiscard]] Offset size() const { return static_cast<Offset>(diagonal.size()); }
};

/// Throws Error{bad_input} with the first row that is not strictly dominant, or whose right side is not a number.
void require_dominant(const Tridiagonal& system, std::span<const double> right);

/// Rows of a part of `partition`, whose other rows are eliminated for its last one. The result depends on it.
constexpr Offset rows_of_part = 1024;

/// Solves in parts side by side: each eliminates its rows but the last, the last rows are a system of n / rows_of_part
/// unknowns, and each part finds its other unknowns (Wang 1981; Polizzi and Sameh 2006). 17 operations a row instead of
/// the 8 of Gaussian elimination. The same bytes for any number of threads.
class Partition {
public:
    void solve(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right, std::span<double> x);

private:
    std::vector<double> before_, after_, known_;            // of each row after elimination
    std::vector<double> lower_, diagonal_, upper_, right_;  // of the last rows
    std::vector<double> scratch_, last_;
};

/// Solution by overlapping tiles. Each tile is solved with `halo` rows more at both sides, as if x were 0 beyond them.
struct Tiles {
    Offset halo = 0;
    double influence = 0;  ///< bound of the change of a result by a change of 1 of the values beyond the halos
    double error = 0;      ///< bound of |x - exact| due to halos: influence max |right| / min (dominance)
};

/// Proven bound of `influence` for tiles of `tile` rows. The change e of a tile's solution by a value beyond its left
/// end satisfies the homogeneous system; |e[i]| <= s[i] |e[i-1]| with s[i] = |lower[i]| / (|diagonal[i]| - |upper[i]|
/// s[i+1]), s <= 1 by dominance, and so for the right end. The bound is the largest product over a halo.
double influence_of_halo(device::Cpu& cpu, const Tridiagonal& system, Offset tile, Offset halo);

/// Solves in tiles with the shortest halo of 16, 32, ..., 1024 rows whose influence is at most 2^-53. Where there is
/// none the result is that of Partition, with halo 0.
Tiles solve_in_tiles(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right, std::span<double> x,
                     Offset tile = 4096);

/// With a given halo.
Tiles solve_in_tiles_with(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right,
                          std::span<double> x, Offset tile, Offset halo);

/// Lines of a grid that are solved side by side: node(i, j) = j-th line's start + i * along.
constexpr int lines_abreast = 8;

/// Solves `lines_abreast` systems of n rows: row i of line j has the number i * lines_abreast + j in every array. right
/// becomes the solution, diagonal is overwritten.
void solve_abreast(Offset n, const double* lower, double* diagonal, const double* upper, double* right);

}  // namespace dunlin::waves
