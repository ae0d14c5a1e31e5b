// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/quantized_rows.hpp"

namespace dunlin::neighbors {

/// Least distance between two boxes, squared under Norm::l2. A box is its least coordinates, then its greatest.
double box_gap(Norm norm, const std::uint8_t* a, const std::uint8_t* b, Index dims);
double box_gap(Norm norm, const float* a, const float* b, Index dims);

/// Extends the box to contain the row.
void enclose(std::uint8_t* box, const std::uint8_t* row, Index dims);
void enclose(float* box, const float* row, Index dims);

}  // namespace dunlin::neighbors
