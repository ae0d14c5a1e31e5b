// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"

namespace dunlin::device {

/// Whether warpgroups can multiply what the bulk copy engine brings: compute capability 9.0, and a driver that can
/// describe matrices to that engine.
bool has_warpgroup_products(const Cuda& cuda);

/// rows x width halves in device memory, for copies of boxes of so many columns (64: 128 bytes, whose eight parts
/// change places in shared memory) and rows. Only where has_warpgroup_products.
CUtensorMap tensor_map(const __half* values, Index rows, Index width, Index box_columns, Index box_rows);

}  // namespace dunlin::device
