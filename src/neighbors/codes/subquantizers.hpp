// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::neighbors {

/// Splits coordinates into parts of nearly equal width: part p has [part_begin(p), part_begin(p + 1)).
DUNLIN_HD constexpr Index part_begin(Index part, Index coordinates, Index parts) {
    return static_cast<Index>(Offset{part} * coordinates / parts);
}

/// Projected rows are clamped to this magnitude, the largest that k-means accepts.
constexpr float farthest_coordinate = 1e12F;

}  // namespace dunlin::neighbors
