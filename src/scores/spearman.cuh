// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scores/pair_distances.cuh"
#include "scores/spearman.hpp"

namespace dunlin::scores {

/// The sums (spearman.hpp) of the pairs of `rows`: their distances in the data with those in each map. The same
/// integers as on a CPU with the same distances.
std::vector<std::vector<RankSums>> rank_sums(device::Cuda& cuda, DevicePairDistances& distances,
                                             std::span<const Map> maps, std::span<const Index> rows);

}  // namespace dunlin::scores
