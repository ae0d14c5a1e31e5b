// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/visits.cuh"

namespace dunlin::neighbors {

/// Whether this GPU has enough shared memory for the filter.
bool can_filter(const device::Cuda& cuda);

/// Compares every query with tiles [begin, end) of the base, or with those at these positions of its visits, as far as
/// it has such: rows that its limit does not exclude (filter_rows.cuh) are appended to its list.
void filter_candidates(device::Cuda& cuda, const FilterRows& queries, const float* limits, const FilterRows& base,
                       const VisitsView& visits, Index begin, Index end, const CandidateLists& lists);

/// Lists all rows of tiles [0, end), which must fit, each at its own position; no_entry where a tile has no row. Limits
/// are ignored.
void list_all(device::Cuda& cuda, const FilterRows& queries, const FilterRows& base, const VisitsView& visits,
              Index end, const CandidateLists& lists);

}  // namespace dunlin::neighbors
