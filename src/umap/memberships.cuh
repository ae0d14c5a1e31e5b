// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::umap {

/// umap::memberships of a kNN graph in device memory. Peak memory is that of graph::symmetrize.
graph::DeviceGraph memberships_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const Options& options);

/// supervised_on (supervision.hpp) in device memory.
graph::DeviceGraph supervised_on_device(device::Cuda& cuda, graph::DeviceGraph&& memberships, const Labels* labels,
                                        float weight);

}  // namespace dunlin::umap
