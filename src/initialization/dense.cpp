// SPDX-License-Identifier: Apache-2.0
#include "initialization/dense.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "math/at.hpp"
#include "numerics/blas.hpp"

namespace dunlin::initialization {

void make_orthonormal(double* columns, Index rows, Index cols) {
    numerics::hold_blas_to_one_thread();
    std::vector<double> tau(at(cols));
    LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, columns, rows, tau.data());
    LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, cols, cols, columns, rows, tau.data());
}

namespace {

/// Q T Q' of a symmetric matrix: Q as reflectors in `reflectors` and `factors`.
struct Tridiagonal {
    std::vector<double> diagonal, beside, reflectors, factors;
};

Tridiagonal tridiagonal(std::vector<double> matrix, Index size) {
    Tridiagonal t{std::vector<double>(at(size)), std::vector<double>(at(size)), std::move(matrix),
                  std::vector<double>(at(size))};
    LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'U', size, t.reflectors.data(), size, t.diagonal.data(), t.beside.data(),
                   t.factors.data());
    return t;
}

struct Spectrum {
    std::vector<double> values;   ///< ascending
    std::vector<double> vectors;  ///< a column each
};

/// All eigenpairs of T: by relatively robust representations, which take O(size^2), or else by QR.
Spectrum spectrum(const Tridiagonal& t) {
    const auto size = static_cast<lapack_int>(t.diagonal.size());
    Spectrum found{std::vector<double>(at(size)), std::vector<double>(at(Offset{size} * size))};
    std::vector<double> diagonal = t.diagonal, beside = t.beside;
    std::vector<lapack_int> support(at(2 * Offset{size}));
    lapack_int count = 0;
    lapack_logical relative_accuracy = 1;
    const lapack_int failed =
        LAPACKE_dstemr(LAPACK_COL_MAJOR, 'V', 'A', size, diagonal.data(), beside.data(), 0, 0, 0, 0, &count,
                       found.values.data(), found.vectors.data(), size, size, support.data(), &relative_accuracy);
    if (failed == 0 && count == size) return found;
    found.values = t.diagonal;
    beside = t.beside;
    LAPACKE_dsteqr(LAPACK_COL_MAJOR, 'I', size, found.values.data(), beside.data(), found.vectors.data(), size);
    return found;
}

}  // namespace

/// Not by LAPACK's dsyevr: where hundreds of eigenvalues are equal, as for items at equal distances, its bisection by
/// number (dstebz) finds none and writes before its workspace.
Eigenpairs leading_eigenpairs(std::vector<double> matrix, Index size, Index count) {
    if (size == 0) return {};
    numerics::hold_blas_to_one_thread();
    const Tridiagonal t = tridiagonal(std::move(matrix), size);
    Spectrum all = spectrum(t);
    double* leading = all.vectors.data() + Offset{size - count} * size;
    LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'U', 'N', size, count, t.reflectors.data(), size, t.factors.data(), leading,
                   size);
    Eigenpairs result;
    result.vectors.reserve(at(Offset{size} * count));
    for (Offset c = count - 1; c >= 0; --c) {
        result.values.push_back(all.values[at(size - count + c)]);
        result.vectors.insert(result.vectors.end(), leading + c * size, leading + (c + 1) * size);
    }
    return result;
}

std::vector<double> transposed(const std::vector<double>& matrix, Index rows, Index cols) {
    std::vector<double> result(matrix.size());
    for (Offset r = 0; r < rows; ++r) {
        for (Offset c = 0; c < cols; ++c) result[at(r * cols + c)] = matrix[at(c * rows + r)];
    }
    return result;
}

void make_signs_canonical(double* columns, Index rows, Index cols) {
    for (Index c = 0; c < cols; ++c) {
        double* column = columns + Offset{c} * rows;
        double largest = 0;
        for (Index r = 0; r < rows; ++r) largest = std::max(largest, std::abs(column[r]));
        Index r = 0;
        while (std::abs(column[r]) < largest * (1 - 1e-6)) ++r;
        if (column[r] < 0) std::for_each(column, column + rows, [](double& value) { value = -value; });
    }
}

}  // namespace dunlin::initialization
