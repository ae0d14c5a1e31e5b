// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "numerics/tiled_product.hpp"

namespace dunlin::numerics {

/// tiled_product.hpp's product on a GPU; all arrays are in its memory. Only enqueues work. Factors are split into two
/// parts of 11 bits, and three products of parts are added in float, by the tensor cores where there are any: the error
/// is that of products in float. An entry is summed in an order fixed by `inner` alone, so it has the same bytes
/// wherever it lies in c, however large c is, and whichever tiling the kernel takes for its size
/// (dense_product_kernel.cuh).
void multiply(device::Cuda& cuda, const DenseProduct& product);

}  // namespace dunlin::numerics
