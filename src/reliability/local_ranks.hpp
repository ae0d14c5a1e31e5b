// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::reliability {

/// For each point the excess ranks of its k nearest on one side in the list of the other side, as a share of the
/// largest possible sum (Columns::intruders). `from` and `ranked` have a row per point, nearest first; from at least k,
/// ranked at least `ranks` neighbors. A neighbor that is not among the first `ranks` has the rank ranks + 1.
std::vector<float> excess_ranks(device::Cpu& cpu, const Graph& from, const Graph& ranked, Index k, Index ranks);

/// The largest possible sum of excess ranks of one point: its k nearest have the k largest ranks, among n - 1 others.
double largest_excess(Index n, Index k, Index ranks);

}  // namespace dunlin::reliability
