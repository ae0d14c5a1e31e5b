// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/sketch.cuh"
#include "neighbors/cuda/visits.cuh"

namespace dunlin::neighbors {

/// Whether this GPU has the shared memory that the sieve takes.
bool can_sieve(const device::Cuda& cuda);

/// Offers tiles [begin, end) of the base to every query, or those at these places of its visits, as far as there are
/// such: rows that its limit does not exclude (sketch.cuh) are appended to its list.
void sieve(device::Cuda& cuda, const HalfRows& queries, const float* limits, const HalfRows& base,
           const VisitsView& visits, Index begin, Index end, const CandidateLists& lists);

/// Lists all of tiles [0, end), which fit, at the same places: none is left out, and the limits are not looked at.
/// Where a tile has no row there is no_entry.
void list_all(device::Cuda& cuda, const HalfRows& queries, const HalfRows& base, const VisitsView& visits, Index end,
              const CandidateLists& lists);

}  // namespace dunlin::neighbors
