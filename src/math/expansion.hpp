// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"
#include "math/symmetric.hpp"

namespace dunlin::math {

/// Value, gradient and Hessian (packed as in math/symmetric.hpp) of a function of one point's position.
template <int D>
struct Expansion {
    double value = 0;
    double gradient[D]{};
    double hessian[symmetric_size<D>]{};

    DUNLIN_HD void add(double factor, const Expansion& other) {
        value += factor * other.value;
        for (int d = 0; d < D; ++d) gradient[d] += factor * other.gradient[d];
        for (int m = 0; m < symmetric_size<D>; ++m) hessian[m] += factor * other.hessian[m];
    }

    /// Adds h(|delta|^2), given its value and its first two derivatives with respect to |delta|^2: the gradient is
    /// 2 h' delta, the Hessian 2 h' I + 4 h'' delta delta^T.
    DUNLIN_HD void add_radial(const double (&delta)[D], double of, double first, double second) {
        value += of;
        for (int d = 0; d < D; ++d) gradient[d] += 2 * first * delta[d];
        add_outer(4 * second, delta);
        for (int d = 0; d < D; ++d) hessian[d] += 2 * first;
    }

    /// Adds factor * v v^T to the Hessian.
    DUNLIN_HD void add_outer(double factor, const double (&v)[D]) {
        for (int d = 0; d < D; ++d) {
            for (int e = d; e < D; ++e) hessian[packed_at<D>(d, e)] += factor * v[d] * v[e];
        }
    }
};

/// |delta|^2 of delta = y - a row of a map.
template <int D>
DUNLIN_HD double difference(const double (&y)[D], const float* row, double (&delta)[D]) {
    double r2 = 0;
    for (int d = 0; d < D; ++d) {
        delta[d] = y[d] - static_cast<double>(row[d]);
        r2 += delta[d] * delta[d];
    }
    return r2;
}

}  // namespace dunlin::math
