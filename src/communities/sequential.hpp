// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::communities {

/// Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre 2008): maximizes modularity by local moving and
/// aggregation. Vertices are visited sequentially in the order of a hash, so the result does not depend on threads.
/// Returns the community of every vertex; they are numbered by decreasing size, equal sizes by their first vertices.
std::vector<Index> find_sequentially(const Graph& graph);

/// Labels with names "1", "2", ...; "1" is the largest community.
Labels labels_of(std::vector<Index> communities);

}  // namespace dunlin::communities
