// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/kmedoids.hpp>

#include "device/cpu.hpp"
#include "kmedoids/rows.hpp"

namespace dunlin::kmedoids {

/// Different items, as many as clusters, as numbers of rows.
std::vector<Index> start_medoids(device::Cpu& cpu, const SampleRows& rows, Index clusters, Start start,
                                 std::uint64_t seed, const Run& run);

}  // namespace dunlin::kmedoids
