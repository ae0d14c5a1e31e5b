// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/coarsen.cuh"
#include "layout/stress_pairs.hpp"

/// The words of stress_pairs.hpp on a GPU, all in device memory.
namespace dunlin::layout {

Pairs<device::Cuda> measure_pairs(device::Cuda& cuda, const graph::DeviceLevel& level, const PairPlaces& places,
                                  const device::CudaBuffer<Index>& place_of);

/// The CPU's moves, up to rounding. Only enqueues.
void meet(device::Cuda& cuda, const Meetings& meetings, Offset round, float eta);

}  // namespace dunlin::layout
