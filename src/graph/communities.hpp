// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::graph {

/// Groups of vertices with many edges within and few between, by modularity: every vertex moves to the neighboring
/// group that gains most while one does, then groups become vertices, and again (Blondel, Guillaume, Lambiotte and
/// Lefebvre 2008). Vertices are asked in the order of a hash, one after the other, whatever the threads.
/// Returns the group of every vertex; groups are numbered from the largest (of equals, the one with the first vertex).
std::vector<Index> communities(const Graph& graph);

/// The same as labels: "1" for the largest group.
Labels labels_of(std::vector<Index> groups);

}  // namespace dunlin::graph
