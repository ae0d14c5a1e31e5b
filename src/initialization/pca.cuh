// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/points.cuh"

namespace dunlin::initialization {

/// principal_coordinates (pca.hpp) in device memory, n x components, from points there or streamed from the host.
/// Up to 4,096 columns from the covariance matrix, beyond that by products with the points.
device::CudaBuffer<float> principal_coordinates_on_device(device::Cuda& cuda, const device::DevicePoints& points,
                                                          int components);

/// pca_start (initial_map.hpp) in device memory, n x dim.
device::CudaBuffer<float> pca_start_on_device(device::Cuda& cuda, const device::DevicePoints& points, int dim,
                                              double deviation, std::uint64_t seed);

/// random_start (initial_map.hpp) in device memory, n x dim.
device::CudaBuffer<float> random_start_on_device(device::Cuda& cuda, Index n, int dim, double deviation,
                                                 std::uint64_t seed);

}  // namespace dunlin::initialization
