// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::neighbors {

/// Throws Error{bad_input} with the row unless all rows are lists of distances to other points: finite, not negative,
/// without the point itself and without duplicates. The order is free, but weights that fall in every row are refused:
/// they are similarities.
void require_distances(device::Cpu& cpu, const Graph& neighbors);

}  // namespace dunlin::neighbors
