// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::forces {

/// The rows of y (n x 2 or n x 3) in the order of their Morton codes in their bounding box; rows of one code in the
/// order of their numbers.
std::vector<Index> morton_order(device::Cpu& cpu, MatrixView<const float> y);

}  // namespace dunlin::forces
