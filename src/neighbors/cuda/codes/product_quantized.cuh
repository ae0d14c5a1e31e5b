// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/item_source.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

/// Whether items can be searched by codes: there are enough, and the GPU has the sieve. Throws Error{bad_input} where
/// it has, but not for as many rows as parameters.rerank asks for.
bool can_search_codes(device::Cuda& cuda, const ItemSource& items, Index degree, Metric metric,
                      const SearchParameters& parameters);

/// The approximate search by codes (neighbors/codes/product_quantized.hpp), with the tensor cores' sieve: what the
/// queries of a block visit is decoded to halves, the parameters.rerank * degree nearest by these are ranked by their
/// keys. Points may be held by the device or not: then those that a block has chosen are copied, each once. Lists that
/// codes cannot part are searched by differences among what their cells visit. Throws Error{out_of_memory} before it
/// starts, Error{bad_input} for a recall that codes cannot reach.
FoundOnDevice search_product_quantized(device::Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric,
                                       const SearchParameters& parameters);

}  // namespace dunlin::neighbors
