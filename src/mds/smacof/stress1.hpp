// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace dunlin::mds {

/// Kruskal's stress-1 of sum w (d - fit)^2 and sum w d^2. If all points coincide: 1, the maximum, unless the largest
/// dissimilarity is 0; then 0.
inline double stress1_of(double error, double squares, double largest) {
    if (!(squares > 0)) return largest > 0 ? 1 : 0;
    return std::sqrt(error / squares);
}

}  // namespace dunlin::mds
