// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/item_search.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

/// Whether a search by codes is possible: enough items and a GPU with the candidate filter. Throws Error{bad_input} if
/// the filter is there but rerank * degree is too long for a list.
bool can_search_codes(device::Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters);

/// Approximate search by an inverted file with product quantization (neighbors/codes/product_quantized.hpp), with the
/// candidate filter of the tensor cores: codes in the probed cells are decoded to half precision, and the rerank *
/// degree nearest are ranked by their exact keys. Points need not be in device memory; then the rows that a block
/// selects are copied, each once. Lists that overflow, because codes do not distinguish enough rows, are searched by
/// differences in the probed cells. Throws Error{out_of_memory} before the search starts, Error{bad_input} for a recall
/// that codes cannot reach.
FoundOnDevice search_product_quantized(device::Cuda& cuda, const ItemSearch& search,
                                       const SearchParameters& parameters);

}  // namespace dunlin::neighbors
