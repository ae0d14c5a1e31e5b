// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/coarsen.cuh"

namespace dunlin::graph {

/// Lengths of shortest paths from vertices first .. first + count - 1 to all n: rows of n, infinity where no path
/// leads. A block searches from one source, breadth first where all edges are of length 1; up to 15,000 lengths fit a
/// multiprocessor's own memory, more are kept in the row. n is at most 150,000, a mark each. Sums along a path are
/// float32. Only enqueues.
void measure_paths(device::Cuda& cuda, const DeviceLevel& level, Index first, Index count, float* rows);

}  // namespace dunlin::graph
