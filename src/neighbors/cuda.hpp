#pragma once

#include <dunlin/neighbors.hpp>

#include "neighbors/effort.hpp"

namespace dunlin::neighbors {

/// The search on run.device_index (neighbors/on_device.cuh), from host memory to host memory. Throws what that throws,
/// and Error{no_device} in builds without CUDA.
Result search_with_cuda(MatrixView<const float> points, Index k, Metric metric, const Effort& effort, const Run& run);

}  // namespace dunlin::neighbors
