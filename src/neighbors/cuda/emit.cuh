// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/ranks.hpp"
#include "graph/device_graph.cuh"
#include "neighbors/cuda/distinct_rows.cuh"
#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// A graph of n lists of `degree` edges, uninitialized; of several ranks (device/ranks.hpp), zeros.
graph::DeviceGraph empty_lists(device::Cuda& cuda, Index n, Index degree);

/// Each list is that of the one rank that has written it; the others have zeros there. Then all have all.
void join_lists(device::Cuda& cuda, device::Rank& rank, graph::DeviceGraph& graph);

/// Bytes of such a graph.
[[nodiscard]] inline std::uint64_t graph_bytes(Index n, Index degree) {
    return static_cast<std::uint64_t>(n) * (static_cast<std::uint64_t>(degree) * 8 + 8);
}

/// Expands the nearest groups of groups [first, first + count) into the nearest rows of their members, and writes them
/// to the graph, with distances in the metric's unit.
void emit(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count, const NearestLists& nearest,
          Metric metric, Index degree, graph::DeviceGraph& graph);

/// Rows of a graph: first + i, or first + order[i] if given.
struct GraphRows {
    Index first = 0;
    const Index* order = nullptr;

    [[nodiscard]] __device__ Offset row(Offset i) const { return first + (order == nullptr ? i : Offset{order[i]}); }
};

/// Writes the lists of `count` queries that are not points of the data, so that no row is excluded. `rows`: their rows
/// in the graph, each of which gets the `degree` nearest rows of its query.
void emit_queries(device::Cuda& cuda, const CudaDistinctRows& groups, const GraphRows& rows, Index count,
                  const NearestLists& nearest, Metric metric, Index degree, graph::DeviceGraph& graph);

}  // namespace dunlin::neighbors
