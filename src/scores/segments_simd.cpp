// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "device/clones.hpp"
#include "scores/segments.hpp"

namespace dunlin::scores {

namespace {

/// Whether two points are certainly on the same side of a line, or certainly on different sides. Arguments: the two
/// products of each point's cross product.
struct Sides {
    int same, different;

    Sides(double left1, double right1, double left2, double right2) {
        constexpr double rounding = 1e-15;
        const double first = left1 - right1, second = left2 - right2;
        const double doubt1 = rounding * (std::abs(left1) + std::abs(right1));
        const double doubt2 = rounding * (std::abs(left2) + std::abs(right2));
        const int above1 = first > doubt1, above2 = second > doubt2, below1 = first < -doubt1,
                  below2 = second < -doubt2;
        same = (above1 & above2) | (below1 & below2);
        different = (above1 & below2) | (below1 & above2);
    }
};

}  // namespace

DUNLIN_CLONES void classify_pairs(const Segment& one, const SegmentEnds& others, int count, std::uint8_t* verdict) {
    const double ax = one.a.x, ay = one.a.y, dx = one.b.x - ax, dy = one.b.y - ay;
    const double left = ax < one.b.x ? ax : one.b.x, right = ax < one.b.x ? one.b.x : ax;
    const double bottom = ay < one.b.y ? ay : one.b.y, top = ay < one.b.y ? one.b.y : ay;
    const double *cx = others.ax, *cy = others.ay, *ex = others.bx, *ey = others.by;
    DUNLIN_NO_OVERLAP
    for (int j = 0; j < count; ++j) {
        const double ux = cx[j], uy = cy[j], vx = ex[j], vy = ey[j];
        const double gx = vx - ux, gy = vy - uy;
        const int apart = ((ux < left) & (vx < left)) | ((ux > right) & (vx > right)) |
                          ((uy < bottom) & (vy < bottom)) | ((uy > top) & (vy > top));
        const Sides of_one(dx * (uy - ay), dy * (ux - ax), dx * (vy - ay), dy * (vx - ax));
        const Sides of_other(gx * (ay - uy), gy * (ax - ux), gx * (ay + dy - uy), gy * (ax + dx - ux));
        const int miss = apart | of_one.same | of_other.same, cross = of_one.different & of_other.different;
        verdict[j] = static_cast<std::uint8_t>((1 - miss) * (1 + cross));
    }
}

DUNLIN_CLONES Index count_crossings(const std::uint8_t* verdict, int count, Index* counts) {
    Index sum = 0;
    DUNLIN_NO_OVERLAP
    for (int j = 0; j < count; ++j) {
        const Index one = verdict[j] == crosses ? 1 : 0;
        counts[j] += one;
        sum += one;
    }
    return sum;
}

}  // namespace dunlin::scores
