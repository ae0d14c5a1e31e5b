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

/// coarsen (coarsen.hpp) on a GPU: the same vertices stay and the same ones join them; strengths are the same up to the
/// order in which they are added. Work is shared by edges, so that a hub costs what its edges cost. Waits a few times.
DeviceCoarsening coarsen(device::Cuda& cuda, const DeviceLevel& fine, std::uint64_t seed);

}  // namespace dunlin::graph
