// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/state.hpp"
#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "graph/half_graph.cuh"

namespace dunlin::descent {

/// reorders_at of reorder.hpp, from fewer points on.
bool reorders_at(const DescentState<device::Cuda>& state, int iteration);

/// As in reorder.hpp; the order is not empty.
device::CudaBuffer<Index> reorder_points(device::Cuda& cuda, DescentState<device::Cuda>& state);

/// reorder of reorder.hpp: the same order. Recorded CUDA graphs become invalid, since buffers move.
void reorder(device::Cuda& cuda, DescentState<device::Cuda>& state, graph::DeviceGraph& affinities);
void reorder(device::Cuda& cuda, DescentState<device::Cuda>& state, graph::HalfGraph& affinities);

/// As in reorder.hpp.
void renumber(device::Cuda& cuda, const DescentState<device::Cuda>& state, graph::DeviceGraph& affinities);
void renumber(device::Cuda& cuda, const DescentState<device::Cuda>& state, graph::HalfGraph& affinities);

}  // namespace dunlin::descent
