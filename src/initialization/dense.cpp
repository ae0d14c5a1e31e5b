// SPDX-License-Identifier: Apache-2.0
#include "initialization/dense.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "device/blas.hpp"
#include "math/at.hpp"

namespace dunlin::initialization {

void make_orthonormal(double* columns, Index rows, Index cols) {
    device::hold_blas_to_one_thread();
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

/// All eigenvalues, ascending.
std::vector<double> eigenvalues(const Tridiagonal& t) {
    std::vector<double> values = t.diagonal, beside = t.beside;
    LAPACKE_dsterf(static_cast<lapack_int>(values.size()), values.data(), beside.data());
    return values;
}

/// The eigenvectors of the last `count` of the eigenvalues, a column each, by inverse iteration.
std::vector<double> last_eigenvectors(const Tridiagonal& t, const std::vector<double>& values, Index count) {
    const auto size = static_cast<Index>(values.size());
    const std::vector<lapack_int> block(at(size), 1), ends = {size};
    std::vector<lapack_int> failed(at(count));
    std::vector<double> vectors(at(Offset{size} * count));
    if (values.front() == 0 && values.back() == 0) {  // dstein would divide by the norm of T
        for (Offset c = 0; c < count; ++c) vectors[at(c * size + size - count + c)] = 1;
        return vectors;
    }
    LAPACKE_dstein(LAPACK_COL_MAJOR, size, t.diagonal.data(), t.beside.data(), count, values.data() + (size - count),
                   block.data(), ends.data(), vectors.data(), size, failed.data());
    LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'U', 'N', size, count, t.reflectors.data(), size, t.factors.data(),
                   vectors.data(), size);
    return vectors;
}

}  // namespace

/// Not by LAPACK's dsyevr: where hundreds of eigenvalues are equal, as for items at equal distances, its bisection by
/// number (dstebz) finds none and writes before its workspace.
Eigenpairs leading_eigenpairs(std::vector<double> matrix, Index size, Index count) {
    if (size == 0) return {};
    device::hold_blas_to_one_thread();
    const Tridiagonal t = tridiagonal(std::move(matrix), size);
    const std::vector<double> values = eigenvalues(t), ascending = last_eigenvectors(t, values, count);
    Eigenpairs result;
    result.vectors.reserve(ascending.size());
    for (Offset c = count - 1; c >= 0; --c) {
        result.values.push_back(values[at(size - count + c)]);
        result.vectors.insert(result.vectors.end(), ascending.begin() + c * size, ascending.begin() + (c + 1) * size);
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
