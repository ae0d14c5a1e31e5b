// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Distances of two points of a map, in double.
namespace dunlin::scores {

/// Squared Euclidean distance of two points of a map. A CPU and a GPU return the same bits.
DUNLIN_HD inline double squared_distance(const float* a, const float* b, int dim) {
    double sum = 0;
    for (int c = 0; c < dim; ++c) {
        const double d = static_cast<double>(a[c]) - static_cast<double>(b[c]);
#ifdef __CUDA_ARCH__
        sum = __dadd_rn(sum, __dmul_rn(d, d));
#else
        sum += d * d;
#endif
    }
    return sum;
}

inline double squared_distance(const Map& map, Index a, Index b) {
    const MatrixView<const float> y = map.view();
    return squared_distance(y.row(a).data(), y.row(b).data(), map.dim);
}

inline double distance(const Map& map, Index a, Index b) { return std::sqrt(squared_distance(map, a, b)); }

}  // namespace dunlin::scores
