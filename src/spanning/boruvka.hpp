// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/run.hpp>

#include "hierarchy/merge_tree.hpp"
#include "spanning/near_lists.hpp"

namespace dunlin::spanning {

/// A minimum spanning tree under the mutual reachability max(core p, core q, scale * key of p and q), all of them keys,
/// by Boruvka's rounds: each component but the largest finds its least edge to another, from the lists and, where
/// points that are not listed may be nearer, by a search of the tree that skips the component's own nodes. An edge's
/// weight is a key; its ends are points. Which of several trees of equal weights is found may depend on the threads.
///
/// given: edges between places that are taken to be of the tree.
std::vector<hierarchy::Edge> spanning_tree(device::Cpu& cpu, const PointTree& tree, const NearLists& lists,
                                           double scale, const std::vector<hierarchy::Edge>& given, const Run& run);

std::uint64_t spanning_tree_bytes(Index points, Index k);

}  // namespace dunlin::spanning
