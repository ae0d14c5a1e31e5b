// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "tsne/flock.hpp"

namespace dunlin::tsne {

/// As on a Cpu (reorder.hpp).
bool reorders_at(const Flock<device::Cuda>& flock, int iteration);

/// As on a Cpu (reorder.hpp): the same order. What a recording knew of the flock's and the graph's places is void.
void reorder(device::Cuda& cuda, Flock<device::Cuda>& flock, graph::DeviceGraph& affinities);

}  // namespace dunlin::tsne
