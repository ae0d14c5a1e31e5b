// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "arrange/packed_component.hpp"

namespace dunlin::arrange {

/// Where a packing puts things.
struct Arrangement {
    std::vector<Point> corners;   ///< lower left corner of each component's box, without its pad
    std::vector<Point> isolated;  ///< place of each isolated vertex
    HullBox taken = {};           ///< around all, with their pads
    HullBox drawn = {};           ///< around all, without
};

/// Side of the grid's cells such that a component of mean area has a few hundred, and the grid stays small even with
/// very long components. `dominated`: the first is far larger than the others and does not count in the mean.
double cell_side(std::span<const PackedComponent> packed, bool dominated);

/// Packs components in the order given, the first around the origin, and isolated vertices, squares of the sides
/// `pitches`, in rows below. None if the box around them is larger than `most_area`.
std::optional<Arrangement> arranged(std::span<const PackedComponent> packed, std::span<const double> pitches,
                                    double cell, double most_area = std::numeric_limits<double>::infinity());

}  // namespace dunlin::arrange
