// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// New number of each old vertex: the inverse of `order`.
device::CudaBuffer<Index> numbers_of(device::Cuda& cuda, const device::CudaBuffer<Index>& order);

/// As relabel on a CPU: vertex v of the result is vertex order[v] of `graph`; edges keep their order within a row. Both
/// graphs are in memory at once.
DeviceGraph relabel(device::Cuda& cuda, const DeviceGraph& graph, const device::CudaBuffer<Index>& order);

}  // namespace dunlin::graph
