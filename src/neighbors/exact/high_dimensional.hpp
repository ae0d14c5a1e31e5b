// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// Limits that the high-dimensional search and its memory estimate share.
namespace dunlin::neighbors {

constexpr Index projected_beyond = 160;  ///< columns; rows with more are projected
constexpr Index axes_kept = 96;
constexpr Index most_fine_columns = 60000;  ///< so that products fit 32 bits

}  // namespace dunlin::neighbors
