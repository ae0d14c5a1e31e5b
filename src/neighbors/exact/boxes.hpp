// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/quantized_rows.hpp"

namespace dunlin::neighbors {

/// The least that two rows within two boxes differ, squared under Norm::l2. Boxes are lows, then highs.
double box_gap(Norm norm, const std::uint8_t* a, const std::uint8_t* b, Index dims);
double box_gap(Norm norm, const float* a, const float* b, Index dims);

/// Grows the box to hold the row.
void enclose(std::uint8_t* box, const std::uint8_t* row, Index dims);
void enclose(float* box, const float* row, Index dims);

}  // namespace dunlin::neighbors
