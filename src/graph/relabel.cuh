// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// As relabel of a Cpu: vertex v of the result is vertex order[v] of `graph`, edges keep their order within a row.
/// Holds both graphs.
DeviceGraph relabel(device::Cuda& cuda, const DeviceGraph& graph, const device::CudaBuffer<Index>& order);

}  // namespace dunlin::graph
