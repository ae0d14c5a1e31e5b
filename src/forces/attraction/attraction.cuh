// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::forces {

/// As forces::attract (attraction.hpp), affinities, y and force in device memory.
void attract(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
             MatrixView<float> force);

/// As forces::attract_cost (attraction.hpp).
void attract_cost(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                  device::CudaCell<double>& cost);

}  // namespace dunlin::forces
