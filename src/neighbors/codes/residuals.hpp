// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// Loops over how a row in float32 differs from a center.
namespace dunlin::neighbors {

struct ResidualExtent {
    float most = 0, squares = 0;  ///< the largest magnitude of a difference; the sum of their squares
};
ResidualExtent residual_extent(const float* row, const float* center, Index dims);

/// out = (row - center) * scale, rounded, within +-127. Returns the sum of what is written.
std::int32_t quantize_residual(const float* row, const float* center, float scale, Index dims, std::int8_t* out);

}  // namespace dunlin::neighbors
