// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

/// Small dense algebra in double, on the host; all matrices are column-major.
namespace dunlin::initialization {

/// Replaces the columns by an orthonormal basis of what they span.
void make_orthonormal(double* columns, Index rows, Index cols);

struct Eigenpairs {
    std::vector<double> values;   ///< largest first
    std::vector<double> vectors;  ///< size x count
};
/// The `count` leading eigenpairs of a symmetric size x size matrix (upper triangle given).
Eigenpairs leading_eigenpairs(std::vector<double> matrix, Index size, Index count);

/// A rows x cols matrix given by columns, by rows; or one given by rows, by columns, with rows and cols exchanged.
std::vector<double> transposed(const std::vector<double>& matrix, Index rows, Index cols);

/// In each column the entry of largest magnitude becomes positive; entries within rounding of each other count as
/// equal, the first wins.
void make_signs_canonical(double* columns, Index rows, Index cols);

}  // namespace dunlin::initialization
