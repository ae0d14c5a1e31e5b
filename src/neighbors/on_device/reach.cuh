#pragma once

#include "neighbors/on_device/lists.cuh"
#include "neighbors/on_device/sketch.cuh"

namespace dunlin::neighbors {

/// How far each of a block of queries looks, in the frame: its neighbours are hoped (and later proved) to lie within
/// `distances`; halves of rows within that distance lie within `reach` of the query's halves, beside their own error.
struct Reach {
    device::CudaBuffer<float> distances, reach;
};

/// Sets reaches to infinity, for list_all.
void reset(device::Cuda& cuda, Index queries, Reach& reach);

/// Lowers each query's reach to the rank-th of its list and drops what lies beyond; the queries are ready for the next
/// sieve. A list that has overflowed reaches nothing more, and stays as it is.
void tighten(device::Cuda& cuda, Index rank, const Sketch& base, Sketch& queries, Lists& lists, Reach& reach);

}  // namespace dunlin::neighbors
