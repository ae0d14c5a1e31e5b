// SPDX-License-Identifier: Apache-2.0
#include "arrange/arrangement.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::arrange {

namespace {

/// Places squares in rows below `taken` and extends it; the width is that of `taken` or, if larger, the square root of
/// their total area.
std::vector<Point> rows_below(std::span<const double> pitches, HullBox& taken) {
    double area = 0;
    for (const double pitch : pitches) area += pitch * pitch;
    const double width = std::max(taken.width(), std::sqrt(area)) * (1 - 1e-9);  // k * k equal squares make k rows
    const double left = (taken.low.x + taken.high.x - width) / 2;
    std::vector<Point> places;
    double x = width, y = taken.low.y, height = 0;
    for (const double pitch : pitches) {
        if (x >= width) {
            x = 0;
            y -= height;
            height = pitch;
        }
        places.push_back({left + x + pitch / 2, y - height / 2});
        extend(taken, {{left + x, y - height}, {left + x + pitch, y}});
        x += pitch;
    }
    return places;
}

}  // namespace

double cell_side(std::span<const PackedComponent> packed, bool dominated) {
    const std::span<const PackedComponent> counted = packed.subspan(dominated && packed.size() > 1 ? 1 : 0);
    double area = 0, longest = 0;
    for (const PackedComponent& component : counted) area += component.area();
    for (const PackedComponent& component : packed)
        longest = std::max({longest, component.width(), component.height()});
    const auto cells = std::clamp<Offset>(256 * std::ssize(counted), Offset{1} << 14, Offset{1} << 24);
    return std::max(std::sqrt(area / static_cast<double>(cells)), longest / 4096);
}

std::optional<Arrangement> arranged(std::span<const PackedComponent> packed, std::span<const double> pitches,
                                    double cell, double most_area) {
    PolyominoPacking packing;
    Arrangement arrangement;
    for (const PackedComponent& component : packed) {
        const GridCell cells = packing.place(polyomino_of(component, cell));
        const Point low{cells.x * cell, cells.y * cell}, corner{low.x + component.pad, low.y + component.pad};
        extend(arrangement.taken, {low, {low.x + component.width(), low.y + component.height()}});
        const HullBox box{corner, {corner.x + component.box.width(), corner.y + component.box.height()}};
        if (arrangement.corners.empty()) arrangement.drawn = box;
        extend(arrangement.drawn, box);
        if (arrangement.drawn.area() > most_area) return std::nullopt;
        arrangement.corners.push_back(corner);
    }
    arrangement.isolated = rows_below(pitches, arrangement.taken);
    for (const Point place : arrangement.isolated) extend(arrangement.drawn, {place, place});
    if (arrangement.drawn.area() > most_area) return std::nullopt;
    return arrangement;
}

}  // namespace dunlin::arrange
