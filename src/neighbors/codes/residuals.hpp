// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// Vectorized loops over the residual of a float32 row.
namespace dunlin::neighbors {

struct ResidualExtent {
    float most = 0, squares = 0;  ///< the largest magnitude; the sum of squares
};
ResidualExtent residual_extent(const float* row, const float* center, Index dims);

/// out = (row - center) * scale, rounded and clamped to +-127. Returns the sum of the bytes.
std::int32_t quantize_residual(const float* row, const float* center, float scale, Index dims, std::int8_t* out);

}  // namespace dunlin::neighbors
