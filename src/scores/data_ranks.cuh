// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scores/pair_distances.cuh"

namespace dunlin::scores {

/// data_ranks (data_ranks.hpp) on a GPU.
std::vector<Index> data_ranks(device::Cuda& cuda, DevicePairDistances& distances, std::span<const Index> rows,
                              std::span<const Index> others);

}  // namespace dunlin::scores
