// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"

namespace dunlin::math {

/// Twice the signed area of the triangle a, b, c: positive where they turn left, the y axis pointing up.
DUNLIN_HD inline double orientation(double ax, double ay, double bx, double by, double cx, double cy) {
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

}  // namespace dunlin::math
