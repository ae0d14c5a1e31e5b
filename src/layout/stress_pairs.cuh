// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/coarsen.cuh"
#include "layout/stress_pairs.hpp"

/// stress_pairs.hpp on a GPU; all buffers are in device memory.
namespace dunlin::layout {

PairDistances<device::Cuda> measure_distances(device::Cuda& cuda, const graph::DeviceLevel& level,
                                              const PairIndex& index, const device::CudaBuffer<Index>& slot_of);

/// As on a CPU, up to rounding. Only enqueues.
void step_round(device::Cuda& cuda, const BlockedMap& blocked, Offset round, float eta);

}  // namespace dunlin::layout
