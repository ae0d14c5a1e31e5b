// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "device/cpu.hpp"

namespace dunlin::umap {

/// umap::memberships without the check of neighbors::require_distances.
Graph memberships_of_distances(device::Cpu& cpu, const Graph& neighbors, const Options& options);

}  // namespace dunlin::umap
