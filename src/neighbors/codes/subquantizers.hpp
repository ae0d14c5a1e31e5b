// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::neighbors {

/// Coordinates are cut into so many parts about as wide: part p has [part_begin(p), part_begin(p + 1)).
DUNLIN_HD constexpr Index part_begin(Index part, Index coordinates, Index parts) {
    return static_cast<Index>(Offset{part} * coordinates / parts);
}

/// Rows along the axes are held within this: k-means takes no larger numbers.
constexpr float farthest_coordinate = 1e12F;

}  // namespace dunlin::neighbors
