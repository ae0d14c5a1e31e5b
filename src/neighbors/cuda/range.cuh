// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include "device/points.cuh"

namespace dunlin::neighbors {

/// require_range (value_range.hpp) of points in device memory, for the metrics whose search on a GPU needs it. Throws
/// Error{bad_input} with the first row that has NaN or infinity, too. The norms of the rows are copied to the host.
void require_range(device::Cuda& cuda, const device::DevicePoints& points, Metric metric);

}  // namespace dunlin::neighbors
