// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/device_graph.cuh"
#include "neighbors/cuda/distinct_rows.cuh"
#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// A graph of n lists of `degree` edges, uninitialized.
graph::DeviceGraph empty_lists(device::Cuda& cuda, Index n, Index degree);

/// Bytes of such a graph.
[[nodiscard]] inline std::uint64_t graph_bytes(Index n, Index degree) {
    return static_cast<std::uint64_t>(n) * (static_cast<std::uint64_t>(degree) * 8 + 8);
}

/// Expands the nearest groups of groups [first, first + count) into the nearest rows of their members, and writes them
/// to the graph, with distances in the metric's unit.
void emit(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count, const NearestLists& nearest,
          Metric metric, Index degree, graph::DeviceGraph& graph);

/// The same for queries [first, first + count) apart from the points, whose lists exclude nothing: row q of the graph
/// has the `degree` nearest rows of query q.
void emit_queries(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                  const NearestLists& nearest, Metric metric, Index degree, graph::DeviceGraph& graph);

}  // namespace dunlin::neighbors
