// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "parametric/training_parts.hpp"

/// training_parts.hpp for a GPU: rows, lists and affinities are in its memory.
namespace dunlin::parametric {

template <>
struct GraphType<device::Cuda> {
    using type = graph::DeviceGraph;
};

graph::DeviceGraph graph_on(device::Cuda& cuda, const Graph& graph);

tsne::Result map_by_tsne(device::Cuda& cuda, MatrixView<const float> points, const tsne::Options& options,
                         const Run& run, const tsne::Given& given);
graph::DeviceGraph lists_among(device::Cuda& cuda, MatrixView<const float> rows, Index k, const Run& run);
graph::DeviceGraph affinities_of(device::Cuda& cuda, graph::DeviceGraph lists, float perplexity);
template <class Law>
double kl_of_map(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, const Map& map,
                 std::uint64_t seed);

}  // namespace dunlin::parametric
