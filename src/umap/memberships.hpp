// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "device/cpu.hpp"
#include "umap/membership_edges.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

/// Mean distance of the neighbors of all points, the points themselves, at distance 0, counted.
double mean_distance(device::Cpu& cpu, const Graph& neighbors);

/// umap::memberships without the check of neighbors::require_distances.
Graph memberships_of_distances(device::Cpu& cpu, const Graph& neighbors, const Options& options);

/// The edges of the descent.
MembershipEdges edges_of_lists(device::Cpu& cpu, const Graph& neighbors, const Labels* labels, const Options& options);
inline MembershipEdges edges_of(device::Cpu& cpu, const Graph& neighbors, const auto& /*points*/, const Given& given,
                                const Options& options, const Run&) {
    return edges_of_lists(cpu, neighbors, given.labels, options);
}

}  // namespace dunlin::umap
