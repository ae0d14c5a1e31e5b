// SPDX-License-Identifier: Apache-2.0
#include "picture/line_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dunlin::picture {

namespace {

/// Maximum number of pixels that a step can touch, rounded up to a multiple of 4.
int lanes_of(float width) {
    const double across = (static_cast<double>(width) + 1) * std::sqrt(2.0) + 1;
    return (static_cast<int>(std::ceil(across)) + 3) / 4 * 4;
}

/// The pixel at a position, clamped to one outside the range.
int pixel(float place, PixelRange range) {
    return static_cast<int>(
        std::floor(std::clamp(place, static_cast<float>(range.first) - 1, static_cast<float>(range.last) + 1)));
}

}  // namespace

LineCoverage::Plane::Plane(PixelRange steps, PixelRange pixels, int beyond)
    : along(steps), across(pixels), margin(beyond) {
    sums.resize(static_cast<std::size_t>(stride()) * static_cast<std::size_t>(along.size()));
}

LineCoverage::LineCoverage(int columns, PixelRange rows, float width)
    : width_(width), steep_(rows, {0, columns}, lanes_of(width)), flat_({0, columns}, rows, lanes_of(width)) {}

void LineCoverage::draw(PixelPoint a, PixelPoint b, float weight) {
    const bool steep = std::abs(b.y - a.y) > std::abs(b.x - a.x);
    if (steep) std::swap(a.x, a.y), std::swap(b.x, b.y);
    if (a.x > b.x) std::swap(a, b);
    Plane& plane = steep ? steep_ : flat_;
    const float slope = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0;

    // Clips the line to the steps at which it is near the pixels
    const auto margin = static_cast<float>(plane.margin);
    float from = a.x, to = b.x;
    if (slope != 0) {
        const float enter = a.x + (static_cast<float>(plane.across.first) - margin - a.y) / slope;
        const float leave = a.x + (static_cast<float>(plane.across.last) + margin - a.y) / slope;
        from = std::max(from, std::min(enter, leave));
        to = std::min(to, std::max(enter, leave));
    }
    const int first = std::max(pixel(from, plane.along), plane.along.first);
    const int last = std::min(pixel(to, plane.along), plane.along.last - 1);
    if (from > to || first > last) return;
    const float middle =
        a.y + slope * (static_cast<float>(first) + 0.5F - a.x) - static_cast<float>(plane.across.first);
    cover({middle, slope, last - first + 1, plane.across.size()}, width_, weight, plane.margin,
          plane.sum(first, plane.across.first), plane.stride());
}

}  // namespace dunlin::picture
