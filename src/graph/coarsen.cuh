// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// Level and Coarsening (coarsen.hpp) in device memory.
struct DeviceLevel {
    const DeviceGraph* graph;
    const float* lengths;  ///< null: 1 each
};

struct DeviceCoarsening {
    DeviceGraph graph;
    device::CudaBuffer<float> lengths;
    device::CudaBuffer<Index> parent, root;
    device::CudaBuffer<float> reach;

    [[nodiscard]] DeviceLevel level() const { return {&graph, lengths.data()}; }
};

/// coarsen (coarsen.hpp) on a GPU. Roots and clusters are the same as on a CPU; strengths are equal up to the order of
/// summation. Work is distributed by edges, so hubs are not a bottleneck. Waits a few times for the device.
DeviceCoarsening coarsen(device::Cuda& cuda, const DeviceLevel& fine, std::uint64_t seed);

}  // namespace dunlin::graph
