// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::tsne {

/// Replaces the distances of a kNN graph by its conditional affinities, as on a Cpu (perplexity.hpp), in place.
void conditional_affinities(device::Cuda& cuda, graph::DeviceGraph& neighbors, float perplexity);

/// tsne::affinities in device memory, from a kNN graph there. Memory: that of graph::symmetrize, about 29 bytes per
/// edge of `neighbors`, for 10 million points with 90 neighbors 26 GB; it is given back but for the result.
/// Throws Error{bad_input} as tsne::affinities does.
graph::DeviceGraph affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, float perplexity);

}  // namespace dunlin::tsne
