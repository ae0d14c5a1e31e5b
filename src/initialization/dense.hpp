// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

/// Small dense linear algebra in double, on the host; all matrices are column-major.
namespace dunlin::initialization {

/// Replaces the columns by an orthonormal basis of their span (QR).
void make_orthonormal(double* columns, Index rows, Index cols);

struct Eigenpairs {
    std::vector<double> values;   ///< largest first
    std::vector<double> vectors;  ///< size x count
};
/// The `count` leading eigenpairs of a symmetric size x size matrix (upper triangle given).
Eigenpairs leading_eigenpairs(std::vector<double> matrix, Index size, Index count);

/// Converts a rows x cols matrix from column-major to row-major; with rows and cols exchanged, from row-major to
/// column-major.
std::vector<double> transposed(const std::vector<double>& matrix, Index rows, Index cols);

/// Makes the entry of largest magnitude of each column positive; of entries equal within rounding, the first.
void make_signs_canonical(double* columns, Index rows, Index cols);

}  // namespace dunlin::initialization
