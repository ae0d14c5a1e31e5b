// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

/// Lists of neighbors that are given: in any order and of any length.
namespace dunlin::neighbors {

/// Sorts the edges of every row by weight, ties by target.
Graph nearest_first(device::Cpu& cpu, const Graph& neighbors);

/// The first k edges of every row, or all if there are fewer.
Graph first_neighbors(const Graph& neighbors, Index k);

/// The least number of neighbors of a point, and the first point that has it. A graph without points: 1 and 0.
std::pair<Offset, Index> shortest_list(const Graph& neighbors);

/// Whether points have different numbers of neighbors.
bool is_uneven(const Graph& neighbors);

}  // namespace dunlin::neighbors
