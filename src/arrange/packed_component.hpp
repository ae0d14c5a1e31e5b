// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "arrange/hull.hpp"
#include "arrange/polyomino.hpp"
#include "device/cpu.hpp"
#include "graph/components.hpp"
#include "math/at.hpp"

namespace dunlin::arrange {

/// Access to the map in double, with the radii of discs.
struct PackedMap {
    Map& map;
    std::span<const float> radii;

    [[nodiscard]] double radius(Index v) const { return radii.empty() ? 0.0 : static_cast<double>(radii[at(v)]); }
    [[nodiscard]] float* place(Index v) const { return map.coordinates.data() + Offset{v} * map.dim; }
    [[nodiscard]] Point point(Index v) const {
        return {static_cast<double>(place(v)[0]), static_cast<double>(place(v)[1])};
    }
    void move(Index v, Point to) const {
        place(v)[0] = static_cast<float>(to.x);
        place(v)[1] = static_cast<float>(to.y);
    }
};

struct HullBox {
    Point low = {}, high = {};

    [[nodiscard]] double width() const { return high.x - low.x; }
    [[nodiscard]] double height() const { return high.y - low.y; }
    [[nodiscard]] double area() const { return width() * height(); }
};

/// Extends a box so that it covers another.
void extend(HullBox& box, const HullBox& other);

/// A component that is moved as a whole, and its extent.
struct PackedComponent {
    Index number = 0;
    std::span<const Index> vertices = {};
    std::vector<Point> hull = {};  ///< of the discs
    HullBox box = {};              ///< around the hull
    double pad = 0;                ///< distance that others keep from the hull, less their own pad
    double scale = 1;              ///< of the hull, the box and the pad in the map

    [[nodiscard]] double width() const { return box.width() + 2 * pad; }
    [[nodiscard]] double height() const { return box.height() + 2 * pad; }
    [[nodiscard]] double area() const { return width() * height(); }
};

/// Rotates each component of at least two vertices so that its minimum-area bounding rectangle is horizontal, and
/// centers its heights at 0. Single vertices go to `isolated`.
std::vector<PackedComponent> leveled_components(device::Cpu& cpu, const PackedMap& view,
                                                const graph::Components& components, std::vector<Index>& isolated);

/// The component `scale` times as large.
PackedComponent scaled(const PackedComponent& component, double scale);

/// Cells touched by the hull, widened by the pad on all sides.
Polyomino polyomino_of(const PackedComponent& component, double cell);

}  // namespace dunlin::arrange
