// SPDX-License-Identifier: Apache-2.0
#include "arrange/hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dunlin::arrange {

namespace {

double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

/// Removes the points inside the octagon of the extreme points in eight directions, which cannot be corners.
void drop_inner(std::vector<Point>& points) {
    constexpr std::array<Point, 8> sides = {{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};
    std::array<Point, 8> farthest;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        farthest[s] = *std::max_element(points.begin(), points.end(),
                                        [side = sides[s]](Point a, Point b) { return dot(a, side) < dot(b, side); });
    }
    std::erase_if(points, [&](Point p) {
        for (std::size_t s = 0; s < sides.size(); ++s) {
            const Point a = farthest[s], b = farthest[(s + 1) % sides.size()];
            if (a != b && orientation(a, b, p) <= 0) return false;
        }
        return true;
    });
}

/// Appends p to a chain with left turns only.
void extend(std::vector<Point>& chain, std::size_t begin, Point p) {
    while (chain.size() >= begin + 2 && orientation(chain[chain.size() - 2], chain.back(), p) <= 0) chain.pop_back();
    chain.push_back(p);
}

}  // namespace

std::vector<Point> convex_hull(std::vector<Point> points) {
    constexpr std::size_t many = 1000;
    if (points.size() > many) {
        const Point first = points.front();
        drop_inner(points);
        if (points.empty()) points.push_back(first);  // all points coincide
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<Point> hull;
    for (const Point p : points) extend(hull, 0, p);
    const std::size_t lower = hull.size() - 1;
    for (auto p = points.rbegin() + 1; p != points.rend(); ++p) extend(hull, lower, *p);
    hull.pop_back();
    return hull;
}

Point long_direction(std::span<const Point> hull) {
    const std::size_t n = hull.size();
    if (n < 2) return {1, 0};
    const auto corner = [&](std::size_t i) { return hull[i % n]; };
    Point best{1, 0};
    double least = std::numeric_limits<double>::infinity();
    std::size_t right = 0, top = 0, left = 0;  // rotating calipers: extreme corners along, across and against the side
    for (std::size_t i = 0; i < n; ++i) {
        const Point a = corner(i), b = corner(i + 1);
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        const Point along{(b.x - a.x) / length, (b.y - a.y) / length}, across{-along.y, along.x};
        const auto advance = [&](std::size_t& at, std::size_t from, Point direction) {
            at = std::max(at, from);
            while (at < from + n && dot(corner(at + 1), direction) > dot(corner(at), direction)) ++at;
        };
        advance(right, i, along);
        advance(top, right, across);
        advance(left, top, {-along.x, -along.y});
        const double width = dot(corner(right), along) - dot(corner(left), along);
        const double height = dot(corner(top), across) - dot(a, across);
        if (width * height >= least) continue;
        least = width * height;
        best = width >= height ? along : across;
    }
    return best;
}

}  // namespace dunlin::arrange
