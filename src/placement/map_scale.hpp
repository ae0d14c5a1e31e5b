// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/scores.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::placement {

/// Median distance of a point of the map to its nearest one, of up to 1,000 points evenly chosen; at least a millionth
/// of the map's span, and 1 for a map of coincident points.
double neighbor_distance_of(device::Cpu& cpu, MatrixView<const float> map);

/// Result::preservation: lists are those of the data, `placed` the places in the map.
scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed);

}  // namespace dunlin::placement
