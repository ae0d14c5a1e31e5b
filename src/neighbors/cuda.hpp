// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/device.hpp>

#include "device/resident.hpp"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// The search on run.gpu() (neighbors/cuda/search.cuh). The lists are where the points are: in `graph`, or for resident
/// points in device memory. Throws as that does, and Error{no_device} without the CUDA backend.
DeviceResult search_with_cuda(const device::InputPoints& points, Index k, Metric metric,
                              const SearchParameters& parameters, const Run& run);

/// The min(k, n) nearest points of every query, none excluded, in the same way. on_gpu: a copy of the points in the
/// memory of run.gpu(), or null.
Result search_queries_with_cuda(MatrixView<const float> points, const float* on_gpu, MatrixView<const float> queries,
                                Index k, Metric metric, const SearchParameters& parameters, const Run& run);

/// The functions in libdunlin_cuda that these call (backend/table.hpp).
namespace backend {
decltype(neighbors::search_with_cuda) search_with_cuda;
decltype(neighbors::search_queries_with_cuda) search_queries_with_cuda;
}  // namespace backend

}  // namespace dunlin::neighbors
