// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/coarsen.cuh"
#include "layout/pivots.hpp"
#include "layout/summit.hpp"

/// The words of outline.hpp on a GPU; as in stress.hpp and summit.hpp, all in device memory.
namespace dunlin::layout {

template <class Step>
struct Pair {
    Index pivots;
    Step step;
    __device__ void operator()(Offset i) const { step(i / pivots, i % pivots); }
};

template <class Step>
void each_pair(device::Cuda& cuda, Index n, Index pivots, const Step& step) {
    cuda.each(Offset{n} * pivots, Pair<Step>{pivots, step});
}

/// The same distances as on a CPU, to the bit.
void shorten(device::Cuda& cuda, const graph::DeviceLevel& level, int rounds, Pivots<device::Cuda>& pivots);

/// Waits once, to learn which rows are long.
void lower_stress(device::Cuda& cuda, const graph::DeviceLevel& level, const Pivots<device::Cuda>& pivots, int steps,
                  int dim, device::CudaBuffer<float>& map, const std::uint8_t* pinned = nullptr);
Pivots<device::Cuda> carried_to(device::Cuda& cuda, const Pivots<device::Cpu>& pivots);

/// On the CPU, where so small a graph is quicker.
Summit summit_of(device::Cuda& cuda, const graph::DeviceLevel& level, int dim, std::uint64_t seed);

}  // namespace dunlin::layout
