// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/attraction/attraction.hpp"
#include "forces/law.hpp"
#include "graph/device_graph.cuh"

namespace dunlin::forces {

/// As forces::attract (attraction.hpp), affinities, y and force in device memory.
template <class Law>
void attract(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, MatrixView<const float> y,
             MatrixView<float> force, const device::Slice& rows);

/// As forces::attract_cost (attraction.hpp). Of several ranks (device/ranks.hpp), each computes the costs of a share of
/// the rows.
template <class Law>
void attract_cost(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                  device::CudaCell<double>& cost);

}  // namespace dunlin::forces
