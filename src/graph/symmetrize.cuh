// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// (A + A') * scale as one merged graph, as symmetrize on a Cpu: targets ascend in every row, an edge and its reverse
/// become one entry in each direction. No edge may be there twice; a loop becomes two entries.
///
/// Every edge becomes its pair of vertices, lesser first. Sorted, reverse edges are neighbors and become one; the
/// pairs are then the right upper half of the result, and sorted by their second vertex the left lower half. So no
/// row is looked at as a whole, and a hub costs what its edges cost.
/// Memory, for E edges that make U pairs (E / 2 <= U <= E): 24 E bytes, then 40 U, `a` included.
DeviceGraph symmetrize(device::Cuda& cuda, DeviceGraph&& a, double scale);

}  // namespace dunlin::graph
