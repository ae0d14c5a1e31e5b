// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

/// Distances of two points of a map, in double.
namespace dunlin::scores {

inline double squared_distance(const Map& map, Index a, Index b) {
    const MatrixView<const float> y = map.view();
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        const double d = static_cast<double>(y(a, c)) - static_cast<double>(y(b, c));
        sum += d * d;
    }
    return sum;
}

inline double distance(const Map& map, Index a, Index b) { return std::sqrt(squared_distance(map, a, b)); }

}  // namespace dunlin::scores
