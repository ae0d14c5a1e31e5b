// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "tsne/descent_state.hpp"

namespace dunlin::tsne {

/// As on a Cpu (reorder.hpp).
bool reorders_at(const DescentState<device::Cuda>& state, int iteration);

/// As on a Cpu (reorder.hpp): the same order. What a recording knew of the flock's and the graph's places is void.
void reorder(device::Cuda& cuda, DescentState<device::Cuda>& state, graph::DeviceGraph& affinities);

}  // namespace dunlin::tsne
