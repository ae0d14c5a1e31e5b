// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// The candidate filter in float32, which sums differences: for manhattan, and for rows that half precision does not
/// distinguish. For inner products the lengths are 1 - x.y, of a query scaled to length 1 and a base scaled so that its
/// longest row has length 1.
struct DifferenceFilter {
    DeviceRows queries, base;
    const Index* which = nullptr;  ///< the queries, as rows of `queries`; null: all
    const Index* items = nullptr;  ///< the base's rows in random order
    Index count = 0;               ///< number of queries
};

/// The meaning of its lengths.
Measure measure_of(const DifferenceFilter& filter);

/// Appends to each query's list the base's rows at positions [begin, end) whose length is within the query's limit.
void filter_candidates(device::Cuda& cuda, const DifferenceFilter& rows, const float* limits, Index begin, Index end,
                       const CandidateLists& lists);

/// Lists all rows at positions [0, end) for every query. The lists must have room.
void list_all(device::Cuda& cuda, const DifferenceFilter& rows, Index end, const CandidateLists& lists);

}  // namespace dunlin::neighbors
