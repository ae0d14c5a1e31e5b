// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// Ranks every row of the base for some queries of a block, by measuring all and sorting: the definition, for the few
/// that the sieve could not settle. which: places in the block. Takes at most `memory` bytes, if one query's keys fit.
void rank_by_sorting(device::Cuda& cuda, const ItemRows& queries, std::span<const Index> which, const ItemRows& base,
                     bool merge, std::uint64_t memory, NearestLists& nearest);

/// Bytes rank_by_sorting takes for a query.
std::uint64_t sorting_bytes(Index base_rows, Index wanted);

}  // namespace dunlin::neighbors
