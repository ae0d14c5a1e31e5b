// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "scores/pair_distances.hpp"

namespace dunlin::scores {

/// Ranks in the data of `others`, k points per row (rows.size() x k), by distance from their row: 1 is the nearest.
/// Ties are broken by id; the row itself has no rank. One pass over all pairs of a row and a point, without sorting.
std::vector<Index> data_ranks(PairDistances& distances, std::span<const Index> rows, std::span<const Index> others);

}  // namespace dunlin::scores
