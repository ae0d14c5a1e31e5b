// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// What the search in many columns, and the estimate of its memory, go by.
namespace dunlin::neighbors {

constexpr Index projected_beyond = 160;  ///< columns
constexpr Index axes_kept = 96;
constexpr Index most_fine_columns = 60000;  ///< their products fit 32 bits

}  // namespace dunlin::neighbors
