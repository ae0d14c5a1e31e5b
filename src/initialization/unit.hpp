// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace dunlin::initialization {

/// The power of two by which float32 numbers of this largest magnitude are multiplied before they are squared and
/// summed: 1 where the sums of squares of 2^31 of them, and of those a millionth as large, are far from the ends of the
/// range.
inline double unit_of(double largest) {
    constexpr int safe = 40;
    if (!(largest > 0)) return 1;
    const int exponent = std::ilogb(largest);
    return std::abs(exponent) <= safe ? 1 : std::ldexp(1.0, -exponent);
}

}  // namespace dunlin::initialization
