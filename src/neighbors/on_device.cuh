#pragma once

#include <dunlin/neighbors.hpp>

#include "device/points.cuh"
#include "graph/on_device.cuh"

namespace dunlin::neighbors {

/// The exact neighbours of every row, as search_all (rows.hpp) finds them: row r of the graph are the min(k, n - 1)
/// nearest of r, nearest first, ties by id, never r itself; weights are distances. Points that are not held by the
/// device are streamed from the host in blocks. A stop asked for through the run gives an empty graph.
/// Throws Error{bad_input} for n = 0, k < 1, NaN or infinity; Error{out_of_memory} before it starts.
graph::DeviceGraph search_on_device(device::Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric);

}  // namespace dunlin::neighbors
