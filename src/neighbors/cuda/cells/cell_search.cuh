// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// Whether items can be searched by cells: there are enough, the device holds them, and it has the sieve for as many
/// neighbors.
bool can_search_cells(device::Cuda& cuda, const ItemSource& items, Index degree, Metric metric);

/// The approximate search: items are cut into cells by k-means, and the queries of a cell meet the items of the cells
/// nearest to it only; among these the search is exact. The recall is measured on items that took no part in choosing
/// how many cells. rows: of the points; degree: neighbors of each. Throws Error{out_of_memory} before it starts.
FoundOnDevice search_cells(device::Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric,
                           const SearchParameters& parameters);

}  // namespace dunlin::neighbors
