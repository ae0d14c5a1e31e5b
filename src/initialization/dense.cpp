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

Eigenpairs leading_eigenpairs(std::vector<double> matrix, Index size, Index count) {
    device::hold_blas_to_one_thread();
    std::vector<double> values(at(size)), ascending(at(Offset{size} * count));
    std::vector<lapack_int> support(at(2 * Offset{count}));
    lapack_int found = 0;
    LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', size, matrix.data(), size, 0, 0, size - count + 1, size, 0, &found,
                   values.data(), ascending.data(), size, support.data());
    Eigenpairs result;
    result.vectors.reserve(ascending.size());
    for (Offset c = count - 1; c >= 0; --c) {
        result.values.push_back(values[at(c)]);
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
