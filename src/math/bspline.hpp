// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "math/hd.hpp"

/// Cardinal B-splines of even order P (degree P - 1): P polynomial pieces with P - 2 continuous derivatives; their
/// integer shifts sum to 1.
namespace dunlin::math {

/// piece[m][d]: coefficient of t^d of the spline at x = m + t, t in [0, 1), for its support [0, P] (Cox and de Boor's
/// recursion for equidistant knots).
template <int P>
constexpr std::array<std::array<double, P>, P> bspline_pieces() {
    std::array<std::array<double, P>, P> piece{};
    piece[0][0] = 1;
    for (int p = 2; p <= P; ++p) {
        std::array<std::array<double, P>, P> next{};
        for (int m = 0; m < p; ++m) {
            for (int d = 0; d < p; ++d) {
                const auto i = static_cast<std::size_t>(m), k = static_cast<std::size_t>(d);
                const double here = piece[i][k], here_below = d > 0 ? piece[i][k - 1] : 0;
                const double left = m > 0 ? piece[i - 1][k] : 0, left_below = m > 0 && d > 0 ? piece[i - 1][k - 1] : 0;
                next[i][k] = (m * here + here_below + (p - m) * left - left_below) / (p - 1);
            }
        }
        piece = next;
    }
    return piece;
}

/// Weights of the P nodes around a point that lies t in [0, 1) into its cell.
template <int P, class Real>
DUNLIN_HD void bspline_weights(Real t, Real (&weight)[P]) {
    constexpr auto piece = bspline_pieces<P>();
    for (std::size_t m = 0; m < P; ++m) {
        const auto& coefficient = piece[P - 1 - m];
        weight[m] = static_cast<Real>(coefficient[P - 1]);
        for (std::size_t d = P - 1; d-- > 0;) weight[m] = weight[m] * t + static_cast<Real>(coefficient[d]);
    }
}

/// d weight / d t.
template <int P, class Real>
DUNLIN_HD void bspline_slopes(Real t, Real (&slope)[P]) {
    constexpr auto piece = bspline_pieces<P>();
    for (std::size_t m = 0; m < P; ++m) {
        const auto& coefficient = piece[P - 1 - m];
        slope[m] = static_cast<Real>((P - 1) * coefficient[P - 1]);
        for (std::size_t d = P - 1; d-- > 1;) {
            slope[m] = slope[m] * t + static_cast<Real>(static_cast<double>(d) * coefficient[d]);
        }
    }
}

/// d^2 weight / d t^2.
template <int P, class Real>
DUNLIN_HD void bspline_curvatures(Real t, Real (&curvature)[P]) {
    constexpr auto piece = bspline_pieces<P>();
    for (std::size_t m = 0; m < P; ++m) {
        const auto& coefficient = piece[P - 1 - m];
        curvature[m] = static_cast<Real>((P - 1) * (P - 2) * coefficient[P - 1]);
        for (std::size_t d = P - 1; d-- > 2;) {
            curvature[m] = curvature[m] * t + static_cast<Real>(static_cast<double>(d * (d - 1)) * coefficient[d]);
        }
    }
}

/// Sum over integers j of B(j + P / 2) cos(angle j): transform of the spline sampled at the nodes, at `angle` radians
/// per node.
template <int P>
double bspline_spectrum(double angle) {
    constexpr auto piece = bspline_pieces<P>();
    constexpr std::size_t half = P / 2;
    double sum = piece[half][0];
    for (std::size_t j = 1; j < half; ++j) sum += 2 * piece[half + j][0] * std::cos(angle * static_cast<double>(j));
    return sum;
}

}  // namespace dunlin::math
