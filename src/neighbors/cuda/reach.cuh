// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/lists.cuh"

namespace dunlin::neighbors {

/// How far each query looks: its neighbors are hoped (and later proved) to lie within `distances`, and a sieve must
/// list all rows that may be that near. What the sieve itself compares with is `limits`: of halves the distance between
/// halves, without what the other row's error adds (filter_rows.cuh); of differences what it sums (differences.cuh).
struct Reach {
    device::CudaBuffer<float> distances, limits;
};

/// Sets reaches to infinity, for a sieve that lists all.
void reset(device::Cuda& cuda, Index queries, Reach& reach);

/// Lowers each query's reach to the rank-th of its list and drops what lies beyond; the queries are ready for the next
/// sieve. A list that has overflowed reaches nothing more, and stays as it is. Where again is given, reaches are surely
/// no less than the rank-th distance, and such a list is emptied, marked, and reaches no farther than what it held.
/// nearest[q], unless null: the row that list q has as the nearest.
void tighten(device::Cuda& cuda, Index rank, const FilterRows& base, FilterRows& queries, CandidateLists& lists,
             Reach& reach, Index* nearest = nullptr, std::uint8_t* again = nullptr);

/// Queries that are marked begin again, with empty lists and the reach that they have, the others reach nothing more.
/// counts, per tile of queries, becomes zero where none is marked. Returns how many are; waits.
Index begin_again(device::Cuda& cuda, FilterRows& queries, CandidateLists& lists,
                  device::CudaBuffer<std::uint8_t>& again, device::CudaBuffer<Index>& counts);
void tighten_differences(device::Cuda& cuda, Index queries, Index rank, const Measure& measure, CandidateLists& lists,
                         Reach& reach);

}  // namespace dunlin::neighbors
