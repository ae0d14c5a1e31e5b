// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/coarsen.cuh"

namespace dunlin::graph {

/// Shortest path lengths from vertices first .. first + count - 1 to all n vertices: rows of n, infinity for
/// unreachable ones. One block per source, breadth first if all lengths are 1. Up to 15,000 lengths are in shared
/// memory, more in the row. n is at most 150,000 (one bit each in shared memory). Sums along a path are float32. Only
/// enqueues.
void measure_paths(device::Cuda& cuda, const DeviceLevel& level, Index first, Index count, float* rows);

}  // namespace dunlin::graph
