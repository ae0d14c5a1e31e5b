// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/neighbors.hpp>
#include <dunlin/sparse.hpp>

#include "device/cpu.hpp"
#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// The exact neighbors of some rows among all rows: row i of the graph has the min(k, n - 1) nearest of rows[i],
/// nearest first, ties by id, without rows[i] itself. Weights are distances. `rows` may contain duplicates. The stage
/// of Progress is "neighbors". A stop through `run` gives an empty Graph. Throws Error{bad_input} for n = 0, k < 1, a
/// row out of range, NaN or infinity; Error{out_of_memory}.
Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index k, Metric metric,
                  const Run& run = {});

/// Searches lists of different lengths: row i of the graph has the min(k[i], n - 1) nearest rows of rows[i].
Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows,
                  std::span<const Index> k, Metric metric, const Run& run = {});

/// The neighbors of every row, with the probes and recall of the search.
struct NeighborGraph {
    Graph graph;
    SearchOutcome outcome = {};
};
NeighborGraph search_all(device::Cpu& cpu, MatrixView<const float> points, Index k, Metric metric, const Run& run = {},
                         SearchParameters parameters = {});

/// The min(k, n) nearest points of every query, none excluded (neighbors::search). Without queries the graph has no
/// rows and the points are not read.
NeighborGraph search_queries(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries, Index k,
                             Metric metric, const Run& run = {}, SearchParameters parameters = {});

/// The exact neighbors of every sparse row, by the inverted index. `points` are checked.
Graph search_all(device::Cpu& cpu, const SparseView& points, Index k, Metric metric, const Run& run = {});

}  // namespace dunlin::neighbors
