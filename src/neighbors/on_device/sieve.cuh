#pragma once

#include "neighbors/on_device/lists.cuh"
#include "neighbors/on_device/sketch.cuh"

namespace dunlin::neighbors {

/// Offers the base's rows at places [begin, end) to every query: those that its reach does not exclude (sketch.cuh) are
/// appended to its list. `begin` is a multiple of base_tile.
void sieve(device::Cuda& cuda, const Sketch& queries, const float* reach, const Sketch& base, Index begin, Index end,
           const Lists& lists);

/// Lists all rows at places [0, end) of every query, which fit: none is left out, and the reach is not looked at.
void list_all(device::Cuda& cuda, const Sketch& queries, const Sketch& base, Index end, const Lists& lists);

}  // namespace dunlin::neighbors
