// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

/// Intersection of line segments.
namespace dunlin::scores {

struct PlanePoint {
    double x = 0, y = 0;
    friend auto operator<=>(const PlanePoint&, const PlanePoint&) = default;
};

struct Segment {
    PlanePoint a, b;
};

/// 1 if a b > c d, -1 if less, 0 if equal; products that are nearly equal are compared with their rounding errors.
inline int compare_products(double a, double b, double c, double d) {
    const double left = a * b, right = c * d;
    const double difference = std::abs(left - right) > 1e-15 * (std::abs(left) + std::abs(right))
                                  ? left - right
                                  : (left - right) + (std::fma(a, b, -left) - std::fma(c, d, -right));
    return (difference > 0 ? 1 : 0) - (difference < 0 ? 1 : 0);
}

/// Orientation of a, b, c: 1 counterclockwise, -1 clockwise, 0 collinear. Exact for float coordinates of similar
/// magnitude, whose differences are exact.
inline int side_of(PlanePoint a, PlanePoint b, PlanePoint c) {
    return compare_products(b.x - a.x, c.y - a.y, b.y - a.y, c.x - a.x);
}

inline bool boxes_overlap(const Segment& s, const Segment& t) {
    return std::max(std::min(s.a.x, s.b.x), std::min(t.a.x, t.b.x)) <=
               std::min(std::max(s.a.x, s.b.x), std::max(t.a.x, t.b.x)) &&
           std::max(std::min(s.a.y, s.b.y), std::min(t.a.y, t.b.y)) <=
               std::min(std::max(s.a.y, s.b.y), std::max(t.a.y, t.b.y));
}

/// Whether two closed segments have a common point.
inline bool intersect(const Segment& s, const Segment& t) {
    return boxes_overlap(s, t) && side_of(s.a, s.b, t.a) * side_of(s.a, s.b, t.b) <= 0 &&
           side_of(t.a, t.b, s.a) * side_of(t.a, t.b, s.b) <= 0;
}

/// Intersection point of two segments that intersect, up to rounding; the lower end if they overlap.
inline PlanePoint intersection_point(const Segment& s, const Segment& t) {
    const PlanePoint low = std::max(std::min(s.a, s.b), std::min(t.a, t.b));
    const PlanePoint high = std::min(std::max(s.a, s.b), std::max(t.a, t.b));
    const double ux = s.b.x - s.a.x, uy = s.b.y - s.a.y, vx = t.b.x - t.a.x, vy = t.b.y - t.a.y;
    const double turn = ux * vy - uy * vx;
    if (turn == 0) return low;
    const double along = std::clamp(((t.a.x - s.a.x) * vy - (t.a.y - s.a.y) * vx) / turn, 0.0, 1.0);
    const auto [bottom, top] = std::minmax(t.a.y, t.b.y);
    return {std::clamp(s.a.x + along * ux, low.x, std::max(low.x, high.x)),
            std::clamp(s.a.y + along * uy, bottom, top)};
}

/// End points of some segments as arrays of coordinates.
struct SegmentEnds {
    const double *ax, *ay, *bx, *by;
};

/// Sets verdict[j] for the pair of `one` and segment j of `count`: misses and crosses are certain; unclear needs an
/// exact test.
constexpr std::uint8_t misses = 0, unclear = 1, crosses = 2;
void classify_pairs(const Segment& one, const SegmentEnds& others, int count, std::uint8_t* verdict);

/// Number of verdicts equal to `crosses`; increments counts[j] of each.
Index count_crossings(const std::uint8_t* verdict, int count, Index* counts);

}  // namespace dunlin::scores
