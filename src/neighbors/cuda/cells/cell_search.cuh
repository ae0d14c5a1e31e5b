// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"
#include "neighbors/cuda/item_search.cuh"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// Whether a search by cells is possible: enough items, in device memory, and the candidate filter for lists of this
/// degree.
bool can_search_cells(device::Cuda& cuda, const ItemSearch& search);

/// Approximate search by an inverted file: items are partitioned into cells by k-means, and each query searches the
/// cells nearest to its own, exactly. The recall is measured on test rows, which do not calibrate the number of cells.
/// Throws Error{out_of_memory} before the search starts.
FoundOnDevice search_cells(device::Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters);

}  // namespace dunlin::neighbors
