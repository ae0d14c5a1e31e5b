// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::tsne {

/// Replaces the distances of a kNN graph by its conditional affinities (perplexity.hpp), in place.
void conditional_affinities(device::Cuda& cuda, graph::DeviceGraph& neighbors, float perplexity);

/// tsne::affinities of a kNN graph in device memory. Peak memory is that of graph::symmetrize, about 29 bytes per edge
/// of `neighbors` (26 GB for 10 million points with 90 neighbors); only the result stays allocated. Throws
/// Error{bad_input} as tsne::affinities does.
graph::DeviceGraph affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, float perplexity);

}  // namespace dunlin::tsne
