// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "math/orientation.hpp"

namespace dunlin::arrange {

struct Point {
    double x = 0, y = 0;
    friend auto operator<=>(const Point&, const Point&) = default;
};

inline double orientation(Point a, Point b, Point c) { return math::orientation(a.x, a.y, b.x, b.y, c.x, c.y); }

/// Corners of the convex hull, counter-clockwise from the leftmost (Andrew 1979); of fewer than three distinct points,
/// these.
std::vector<Point> convex_hull(std::vector<Point> points);

/// Unit direction of the longer side of the minimum-area bounding rectangle of a convex hull; one side of the rectangle
/// is along a side of the hull (Freeman and Shapira 1975).
Point long_direction(std::span<const Point> hull);

}  // namespace dunlin::arrange
