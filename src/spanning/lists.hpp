// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "hierarchy/merge_tree.hpp"

namespace dunlin::spanning {

/// Core distances by the pairs of lists of neighbors. A pair counts once for either of its items, whichever lists the
/// other; an item that lists itself has a pair more. Infinite where an item is in fewer than k - 1 pairs.
std::vector<double> core_distances(const Graph& lists, Index k);
/// Bytes of that.
std::uint64_t core_distances_bytes(const Graph& lists, Index k);

/// The listed pairs with their mutual reachability, each once or, if each lists the other, twice.
std::vector<hierarchy::Edge> listed_edges(const Graph& lists, const std::vector<double>& core, double alpha);

}  // namespace dunlin::spanning
