// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace dunlin::stress {

/// Scaled stress, the least sum (s q - 1)^2 / count over all scales s of the map, from sums over `count` pairs of the
/// ratios q = distance in the map / delta and of their squares: it is at s = sum q / sum q^2. 1 where all q are 0.
inline double scaled_stress(double count, double q, double squares) {
    return squares > 0 ? std::max(0.0, 1 - q * q / (count * squares)) : 1.0;
}

}  // namespace dunlin::stress
