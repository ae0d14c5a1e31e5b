#pragma once

#include "neighbors/on_device/lists.cuh"
#include "neighbors/on_device/sketch.cuh"

namespace dunlin::neighbors {

/// Whether this GPU has the shared memory that the sieve takes.
bool can_sieve(const device::Cuda& cuda);

/// Offers the base's rows at places [begin, end) to every query: those that its limit does not exclude (sketch.cuh) are
/// appended to its list. `begin` is a multiple of base_tile.
void sieve(device::Cuda& cuda, const Sketch& queries, const float* limits, const Sketch& base, Index begin, Index end,
           const Lists& lists);

/// Lists all rows at places [0, end) of every query, which fit: none is left out, and the limits are not looked at.
void list_all(device::Cuda& cuda, const Sketch& queries, const Sketch& base, Index end, const Lists& lists);

}  // namespace dunlin::neighbors
