// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include "device/points.cuh"
#include "graph/device_graph.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// A graph in device memory, and how it was found (Result).
struct FoundOnDevice {
    graph::DeviceGraph graph;
    Method method = Method::exact;
    Index probes = 0;
    double recall = 1, recall_se = 0;
};

/// The neighbors of every row: row r of the graph are min(k, n - 1) of the rows nearest to r, nearest first, ties by
/// id, never r itself; weights are distances. An exact search finds what search_all (rows.hpp) finds; points that are
/// not held by the device are streamed from the host in blocks. An approximate one is exact where these are and there
/// are no codes, where there are few rows, or where the GPU has no sieve (approximate.cuh, coded.cuh). A stop asked for
/// through the run gives an empty graph. Throws Error{bad_input} for n = 0, k < 1, NaN or infinity;
/// Error{out_of_memory} before it starts.
FoundOnDevice search_on_device(device::Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric,
                               const SearchParameters& parameters = {});

}  // namespace dunlin::neighbors
