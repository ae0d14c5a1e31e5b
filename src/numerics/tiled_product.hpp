// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::numerics {

/// A factor of a product: a row-major matrix, or its transpose.
struct Factor {
    const float* values = nullptr;
    Index stride = 0;  ///< between rows in memory
    bool transposed = false;

    /// The factor from this row and column on.
    [[nodiscard]] DUNLIN_HD const float* from(Index row, Index col) const {
        return transposed ? values + Offset{col} * stride + row : values + Offset{row} * stride + col;
    }
};

/// c = scale * a b + keep * c, with a (rows x inner), b (inner x cols) and c (rows x cols, contiguous).
struct DenseProduct {
    Index rows = 0, cols = 0, inner = 0;
    Factor a, b;
    float* c = nullptr;
    float scale = 1, keep = 0;
};

/// Computes the product in tiles of c, each by one thread; the result does not depend on the number of threads. Not by
/// BLAS: Debian's takes new processors for the oldest one, and is several times slower there.
void multiply(device::Cpu& cpu, const DenseProduct& product);

/// Computes the product on the calling thread alone, in one tile.
void multiply_here(const DenseProduct& product);

}  // namespace dunlin::numerics
