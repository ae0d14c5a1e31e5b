// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// The graph in host memory. Of several ranks that have the same graph (device/ranks.hpp), each copies a share, and the
/// first returns the whole; the others return none.
Graph download_by_ranks(device::Cuda& cuda, const DeviceGraph& graph);

}  // namespace dunlin::graph
