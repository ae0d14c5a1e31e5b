// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "device/cpu.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

/// Mean distance of the neighbors of all points, the points themselves, at distance 0, counted.
double mean_distance(device::Cpu& cpu, const Graph& neighbors);

/// umap::memberships without the check of neighbors::require_distances.
Graph memberships_of_distances(device::Cpu& cpu, const Graph& neighbors, const Options& options);

/// The edges of the descent.
inline Graph edges_of(device::Cpu& cpu, const Graph& neighbors, const auto& /*points*/, const Given& given,
                      const Options& options, const Run&) {
    return supervised_on(cpu, memberships_of_distances(cpu, neighbors, options), given.labels, options.labels_weight);
}

}  // namespace dunlin::umap
