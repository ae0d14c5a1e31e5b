// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include "device/points.cuh"
#include "graph/device_graph.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// A graph in device memory, with the outcome of the search (Result).
struct FoundOnDevice {
    graph::DeviceGraph graph;
    Method method = Method::exact;
    Index probes = 0;
    double recall = 1, recall_se = 0;
};

/// The neighbors of every row: row r of the graph has the min(k, n - 1) nearest of r, nearest first, ties by id,
/// without r itself. Weights are distances. The exact search finds the same as search_all (search_rows.hpp). Points in
/// host memory are streamed in blocks. An approximate search turns into the exact one if points are in host memory and
/// there are no codes, if there are few rows, or if the GPU lacks the candidate filter (cell_search.cuh,
/// product_quantized.cuh). A stop through the run gives an empty graph. Throws Error{bad_input} for n = 0, k < 1, NaN
/// or infinity; Error{out_of_memory} before the search starts.
FoundOnDevice search_on_device(device::Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric,
                               const SearchParameters& parameters = {});

/// The min(k, n) nearest points of every query (rows in host memory), none excluded, in the same way. The list of a
/// query depends on no other query. The exact search finds the same as search_queries (search_rows.hpp). Throws as
/// search_on_device.
FoundOnDevice search_queries_on_device(device::Cuda& cuda, const device::DevicePoints& points,
                                       MatrixView<const float> queries, Index k, Metric metric,
                                       const SearchParameters& parameters = {});

}  // namespace dunlin::neighbors
