// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"

namespace dunlin::numerics {

/// True if warpgroup matrix products with bulk tensor copies (TMA) are available: compute capability 9.0 and a driver
/// with tensor maps.
bool has_warpgroup_products(const device::Cuda& cuda);

/// Tensor map of rows x width halves in device memory, for copies of boxes of box_columns (64: 128 bytes, with 128-byte
/// swizzle in shared memory) x box_rows. Requires has_warpgroup_products.
CUtensorMap tensor_map(const __half* values, Index rows, Index width, Index box_columns, Index box_rows);

}  // namespace dunlin::numerics
