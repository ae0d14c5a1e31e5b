#pragma once

#include "graph/coarsen.cuh"

namespace dunlin::graph {

/// Lengths of shortest paths from vertices first .. first + count - 1 to all n, up to 15,000, which fit a
/// multiprocessor's own memory: rows of n, infinity where no path leads. A block searches from one source, breadth
/// first where all edges are of length 1. Sums along a path are float32. Only enqueues.
void measure_paths(device::Cuda& cuda, const DeviceLevel& level, Index first, Index count, float* rows);

}  // namespace dunlin::graph
