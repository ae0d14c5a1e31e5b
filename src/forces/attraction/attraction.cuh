// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/attraction/attraction.hpp"
#include "forces/law.hpp"
#include "graph/device_graph.cuh"
#include "graph/half_graph.cuh"

namespace dunlin::forces {

/// As forces::attract (attraction.hpp), affinities, y and force in device memory. Graph: DeviceGraph, for t-SNE's laws
/// also HalfGraph.
template <class Law, class Graph>
void attract(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
             MatrixView<float> force, const device::Slice& rows);

/// As forces::attract_cost (attraction.hpp). Of several ranks (device/ranks.hpp), each computes the costs of a share of
/// the rows.
template <class Law, class Graph>
void attract_cost(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
                  device::CudaCell<double>& cost);

}  // namespace dunlin::forces
