// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "hierarchy/merge_tree.hpp"

namespace dunlin::spanning {

/// Core distances by lists of neighbors, nearest first, without the point itself; infinite where a list is too short.
std::vector<double> core_distances(const Graph& lists, Index k);

/// The listed pairs with their mutual reachability, each once or, if each lists the other, twice.
std::vector<hierarchy::Edge> listed_edges(const Graph& lists, const std::vector<double>& core, double alpha);

}  // namespace dunlin::spanning
