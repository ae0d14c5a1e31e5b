// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// Brute force, for the few queries that the filters leave unsettled: measures every row of the base and sorts. which:
/// rows of the queries. Uses at most `memory` bytes, or one query's keys.
void rank_by_sorting(device::Cuda& cuda, const ItemRows& queries, std::span<const Index> which, const ItemRows& base,
                     bool merge, std::uint64_t memory, NearestLists& nearest);

/// Bytes that rank_by_sorting needs per query.
std::uint64_t sorting_bytes(Index base_rows, Index wanted);

}  // namespace dunlin::neighbors
