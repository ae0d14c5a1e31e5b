// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/combine.hpp"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// The rule (combine.hpp) of A and A' as one merged graph, as symmetrize on a CPU: targets ascend in every row; an edge
/// and its reverse become one entry in each direction. Edges must be distinct; a self-loop becomes two entries.
///
/// Every edge becomes its pair of vertices, smaller one first. After sorting, reverse edges are adjacent and are
/// merged. The pairs are then the upper triangle of the result, and sorted by their second vertex the lower triangle.
/// No row is processed as a whole, so hubs are not a bottleneck.
/// Memory, for E edges that make U pairs (E / 2 <= U <= E): 24 E bytes, then 40 U, including `a`.
template <class Rule>
DeviceGraph symmetrize(device::Cuda& cuda, DeviceGraph&& a, const Rule& rule);

}  // namespace dunlin::graph
