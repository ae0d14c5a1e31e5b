// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/quantized_rows.hpp"

namespace dunlin::neighbors {

/// The least that two rows within two boxes differ, squared under Law::squares. Boxes are lows, then highs.
double box_gap(Law law, const std::uint8_t* a, const std::uint8_t* b, Index dims);
double box_gap(Law law, const float* a, const float* b, Index dims);

/// Grows the box to hold the row.
void enclose(std::uint8_t* box, const std::uint8_t* row, Index dims);
void enclose(float* box, const float* row, Index dims);

}  // namespace dunlin::neighbors
