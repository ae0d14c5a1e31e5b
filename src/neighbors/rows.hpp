#pragma once

#include <span>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"
#include "neighbors/exact.hpp"
#include "neighbors/recall.hpp"

namespace dunlin::neighbors {

/// The exact neighbours of some rows among all rows: row i of the graph are the min(k, n - 1) nearest of rows[i],
/// nearest first, ties by id, never rows[i] itself; weights are distances. The same row may be asked for twice.
/// Progress is reported as stage "neighbors"; a stop asked for through `run` gives an empty Graph.
/// Throws Error{bad_input} for n = 0, k < 1, a row out of range, NaN or infinity; Error{out_of_memory}.
Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index k, Metric metric,
                  const Run& run = {});

/// The neighbours of every row, and the leaves, or cells of codes, that a block of queries met (0: the search was
/// exact). recall: that of a search by codes, measured.
struct Found {
    Graph graph;
    Index probes = 0;
    Recall recall = {};
};
Found search_all(device::Cpu& cpu, MatrixView<const float> points, Index k, Metric metric, const Run& run = {},
                 Effort effort = {});

}  // namespace dunlin::neighbors
