// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/hd.hpp"

/// Symmetric matrices, packed: the diagonal first, then the upper triangle row by row, xy (, xz, yz).
namespace dunlin::math {

/// Number of packed values.
template <int D>
inline constexpr int symmetric_size = D * (D + 1) / 2;

/// Index of the value in row d, column e != d.
template <int D>
DUNLIN_HD constexpr int packed_at(int d, int e) {
    if constexpr (D <= 3) return d == e ? d : d + e + D - 1;
    const int row = d < e ? d : e, column = d < e ? e : d;
    return row == column ? row : D + row * (2 * D - row - 1) / 2 + column - row - 1;
}

/// Smallest eigenvalue of a matrix of order 1 to 3. Order 3: Cardano's formula with an angle (Smith 1961).
template <int D>
DUNLIN_HD double smallest_eigenvalue(const double (&m)[symmetric_size<D>]) {
    if constexpr (D == 1) {
        return m[0];
    } else if constexpr (D == 2) {
        const double half = 0.5 * (m[0] - m[1]);
        return 0.5 * (m[0] + m[1]) - std::sqrt(half * half + m[2] * m[2]);
    } else {
        const double mean = (m[0] + m[1] + m[2]) / 3;
        const double x = m[0] - mean, y = m[1] - mean, z = m[2] - mean;
        const double off = m[3] * m[3] + m[4] * m[4] + m[5] * m[5];
        const double p = std::sqrt((x * x + y * y + z * z + 2 * off) / 6);
        if (!(p > 0)) return mean;
        const double determinant =
            x * (y * z - m[5] * m[5]) - m[3] * (m[3] * z - m[5] * m[4]) + m[4] * (m[3] * m[5] - y * m[4]);
        const double cosine = std::min(1.0, std::max(-1.0, determinant / (2 * p * p * p)));
        return mean + 2 * p * std::cos((std::acos(cosine) + 2 * std::numbers::pi) / 3);
    }
}

/// Whether M + shift I is positive definite, by Cholesky's decomposition: no pivot is below `least`.
template <int D>
bool is_positive(const double (&m)[symmetric_size<D>], double shift, double least) {
    double root[D][D]{};
    for (int d = 0; d < D; ++d) {
        for (int e = 0; e <= d; ++e) {
            double sum = m[packed_at<D>(d, e)] + (d == e ? shift : 0);
            for (int k = 0; k < e; ++k) sum -= root[d][k] * root[e][k];
            if (d == e && !(sum >= least)) return false;
            root[d][e] = d == e ? std::sqrt(sum) : sum / root[e][e];
        }
    }
    return true;
}

/// Solves (M + shift I) x = right by Cholesky's decomposition; M + shift I must be positive definite.
template <int D>
DUNLIN_HD void solve_shifted(const double (&m)[symmetric_size<D>], double shift, const double (&right)[D],
                             double (&x)[D]) {
    double root[D][D]{}, half[D];
    for (int d = 0; d < D; ++d) {
        for (int e = 0; e <= d; ++e) {
            double sum = m[packed_at<D>(d, e)] + (d == e ? shift : 0);
            for (int k = 0; k < e; ++k) sum -= root[d][k] * root[e][k];
            root[d][e] = d == e ? std::sqrt(sum) : sum / root[e][e];
        }
        half[d] = right[d];
        for (int k = 0; k < d; ++k) half[d] -= root[d][k] * half[k];
        half[d] /= root[d][d];
    }
    for (int d = D - 1; d >= 0; --d) {
        x[d] = half[d];
        for (int k = d + 1; k < D; ++k) x[d] -= root[k][d] * x[k];
        x[d] /= root[d][d];
    }
}

}  // namespace dunlin::math
