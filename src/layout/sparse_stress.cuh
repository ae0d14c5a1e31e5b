// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/coarsen.cuh"
#include "layout/coarsest.hpp"
#include "layout/pivots.hpp"

/// sparse_stress.hpp and coarsest.hpp on a GPU; all buffers are in device memory.
namespace dunlin::layout {

template <class Step>
struct VertexPivotStep {
    Index pivots;
    Step step;
    __device__ void operator()(Offset i) const { step(i / pivots, i % pivots); }
};

template <class Step>
void each_pair(device::Cuda& cuda, Index n, Index pivots, const Step& step) {
    cuda.each(Offset{n} * pivots, VertexPivotStep<Step>{pivots, step});
}

/// Bitwise equal to the CPU.
void relax_distances(device::Cuda& cuda, const graph::DeviceLevel& level, int rounds, Pivots<device::Cuda>& pivots);

/// Waits once for the number of long rows.
void reduce_stress(device::Cuda& cuda, const graph::DeviceLevel& level, const Pivots<device::Cuda>& pivots, int steps,
                   int dim, device::CudaBuffer<float>& map, const std::uint8_t* pinned = nullptr);
Pivots<device::Cuda> upload_pivots(device::Cuda& cuda, const Pivots<device::Cpu>& pivots);

/// Runs on the CPU, which is faster for so small a graph.
CoarsestLayout place_coarsest(device::Cuda& cuda, const graph::DeviceLevel& level, int dim, std::uint64_t seed);

}  // namespace dunlin::layout
