// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scores/co_rank.hpp"
#include "scores/pair_distances.cuh"

namespace dunlin::scores {

/// co_rank (co_rank.hpp) on a GPU. Throws Error{out_of_memory}.
std::vector<CoRanking> co_rank(device::Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                               std::span<const Index> rows, std::span<const std::vector<Index>> neighbors,
                               Index nearest);

}  // namespace dunlin::scores
