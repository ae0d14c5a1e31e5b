// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"

namespace dunlin::scores {

/// others holds the same number of points for each of `rows` (rows.size() x k). The rank in the data of each, seen from
/// its row: 1 for the nearest; of equal distances the smaller id comes first; the row itself has no rank.
/// One pass over all pairs of a row and a point, in float32 from differences: an offset of the data costs nothing.
std::vector<Index> data_ranks(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                              std::span<const Index> rows, std::span<const Index> others);

}  // namespace dunlin::scores
