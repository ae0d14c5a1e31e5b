// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "initialization/spectral.hpp"

namespace dunlin::initialization {

/// spectral_start of a graph in device memory. Components, small graphs and the coordinates after the last product are
/// computed on the CPU.
Map spectral_start(device::Cuda& cuda, const graph::DeviceGraph& graph, Map start, double deviation);

}  // namespace dunlin::initialization
