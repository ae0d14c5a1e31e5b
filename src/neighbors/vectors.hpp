// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/quantized_rows.hpp"

/// Vectorized loops over byte rows and float32 means.
namespace dunlin::neighbors {

void add_to(const std::uint8_t* row, Index dims, float* sums);
float inner(const std::uint8_t* row, const float* direction, Index dims);
float length(Norm norm, const std::uint8_t* row, const float* from, Index dims);  ///< |row - from|
float length(Norm norm, const float* row, const float* from, Index dims);

}  // namespace dunlin::neighbors
