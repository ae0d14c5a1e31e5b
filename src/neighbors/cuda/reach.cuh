// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/lists.cuh"

namespace dunlin::neighbors {

/// Search radius of each query. `distances`: its neighbors are expected within this distance, and the refinement
/// verifies it; the filter must list every row that may be so near. `limits`: the values that the filter compares with,
/// which are distances in half precision without the other row's error (filter_rows.cuh), or sums of differences
/// (differences.cuh).
struct Reach {
    device::CudaBuffer<float> distances, limits;
};

/// Sets all radii to infinity, for a filter that lists all.
void reset(device::Cuda& cuda, Index queries, Reach& reach);

/// Reduces each query's search radius to the rank-th entry of its list, removes entries beyond it, and prepares the
/// queries for the next pass of the filter. An overflowed list is disabled and stays as it is. If `restart` is given,
/// radii are at least the rank-th true distance, and an overflowed list is emptied and marked, with the radius of the
/// entries that it held. nearest[q], unless null: the row of the nearest entry of list q.
void tighten(device::Cuda& cuda, Index rank, const FilterRows& base, FilterRows& queries, CandidateLists& lists,
             Reach& reach, Index* nearest = nullptr, std::uint8_t* restart = nullptr);

/// Restarts marked queries with empty lists and their present radii, and disables the others. counts, per query tile,
/// becomes zero where no query is marked. Returns the number of marked queries. Synchronous.
Index restart_queries(device::Cuda& cuda, FilterRows& queries, CandidateLists& lists,
                      device::CudaBuffer<std::uint8_t>& restart, device::CudaBuffer<Index>& counts);
void tighten_differences(device::Cuda& cuda, Index queries, Index rank, const Measure& measure, CandidateLists& lists,
                         Reach& reach);

}  // namespace dunlin::neighbors
