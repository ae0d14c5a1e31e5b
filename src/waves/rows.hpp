// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/problem.hpp"

namespace dunlin::waves {

/// One species in consecutive nodes of a grid, and the rows beside them (1-D: none; 2-D: below and above). The nodes
/// before the first and after the last can be read.
struct RowOfSpecies {
    const double *here = nullptr, *below = nullptr, *above = nullptr, *front = nullptr, *back = nullptr;
    double* out = nullptr;

    [[nodiscard]] RowOfSpecies from(Offset x) const {
        const auto moved = [x](const double* row) { return row == nullptr ? row : row + x; };
        return {moved(here), moved(below), moved(above), moved(front), moved(back), out + x};
    }
};

struct Row {
    RowOfSpecies v{}, w{};
    const double* current = nullptr;  ///< input; null: none
    double level = 0;                 ///< of activation
};

/// Writes for n nodes of a row their rates (dt is not read), or the nodes after a step of Euler's method. Returns
/// whether the watched species may have risen to the level in one of them (`crossing_sign`); of rates: false.
using RowKernel = bool (*)(const Coefficients& coefficients, double dt, Offset n, const Row& row);
RowKernel euler_row(const Problem& problem);
RowKernel rates_row(const Problem& problem);

/// Number of axes that the rows of a domain need: 1, 2 or 3.
int axes_of(const Domain& domain);

}  // namespace dunlin::waves
