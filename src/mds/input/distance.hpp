// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"

namespace dunlin::mds {

/// Euclidean distance of two points, computed in Real.
template <class Real = float>
DUNLIN_HD Real squared_distance(const float* a, const float* b, int dim) {
    Real d2 = 0;
    for (int c = 0; c < dim; ++c) {
        const Real apart = static_cast<Real>(a[c]) - static_cast<Real>(b[c]);
        d2 += apart * apart;
    }
    return d2;
}
template <class Real = float>
DUNLIN_HD Real distance(const float* a, const float* b, int dim) {
    return std::sqrt(squared_distance<Real>(a, b, dim));
}

}  // namespace dunlin::mds
