// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// The sieve in float32, which sums differences: for manhattan, and for rows that halves are too coarse to part. Or
/// products, whose lengths are 1 - x.y of a query made 1 long and a base whose longest row is made 1 long.
struct DifferenceFilter {
    DeviceRows queries, base;
    const Index* which = nullptr;  ///< the queries, as rows of `queries`; null: all
    const Index* items = nullptr;  ///< the base's rows in random order
    Index count = 0;               ///< of queries
};

/// What its lengths mean.
Measure measure_of(const DifferenceFilter& filter);

/// Appends to each query's list the base's rows at places [begin, end) whose length is within its limit.
void filter_candidates(device::Cuda& cuda, const DifferenceFilter& rows, const float* limits, Index begin, Index end,
                       const CandidateLists& lists);

/// Lists all rows at places [0, end) of every query, which fit.
void list_all(device::Cuda& cuda, const DifferenceFilter& rows, Index end, const CandidateLists& lists);

}  // namespace dunlin::neighbors
