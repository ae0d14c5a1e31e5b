// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::device {

/// Cuda::copy_in and copy_out use staging for copies of at least this size.
constexpr std::size_t staged_from = std::size_t{16} << 20;

/// Copies pageable host memory to the device: threads copy pieces of it into page-locked memory, from which the bus
/// transfers at full speed. The process keeps the 8 MB of page-locked memory. Returns when the copy is complete.
void copy_in_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes);

/// Copies device memory to pageable host memory in the same way, after all work enqueued before. A stop does not end
/// it.
void copy_out_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes);

/// Copies the selected rows of a matrix to the device in the same way. Stores them one after another.
void copy_rows_in_staged(Cuda& cuda, float* to, MatrixView<const float> from, std::span<const Index> rows);

}  // namespace dunlin::device
