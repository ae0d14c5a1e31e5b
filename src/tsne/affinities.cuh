// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "graph/half_graph.cuh"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

/// Replaces the distances of a kNN graph by its conditional affinities (perplexity.hpp), in place.
void conditional_affinities(device::Cuda& cuda, graph::DeviceGraph& neighbors, const RowRule& rule);

/// tsne::affinities of a kNN graph in device memory; point_weights: on the host. Peak memory is that of
/// graph::symmetrize, about 36 bytes per edge of `neighbors` (32 GB for 10 million points with 90 neighbors); only the
/// result stays allocated. Throws Error{bad_input} as tsne::affinities does.
graph::DeviceGraph affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const RowRule& rule,
                                        std::span<const float> point_weights = {});

/// affinities_on_device() with weights in half precision. The lists of `neighbors` must have equal lengths.
graph::HalfGraph half_affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const RowRule& rule,
                                           std::span<const float> point_weights = {});

}  // namespace dunlin::tsne
