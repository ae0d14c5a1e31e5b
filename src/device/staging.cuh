// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::device {

/// From this size on Cuda::copy_in takes this way.
constexpr std::size_t staged_from = std::size_t{16} << 20;

/// Copies host memory of any kind to the device: threads move pieces of it into page-locked memory, from where the bus
/// runs at full speed. The 8 MB of page-locked memory stay with the process. Returns when all is there.
void copy_in_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes);

/// The same for some rows of a matrix, one after another.
void copy_rows_in_staged(Cuda& cuda, float* to, MatrixView<const float> from, std::span<const Index> rows);

}  // namespace dunlin::device
