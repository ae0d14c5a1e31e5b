// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/tiled_product.hpp"

namespace dunlin::numerics {

/// A part of c.
struct ProductTile {
    Index row = 0, col = 0, rows = 0, cols = 0;
};

/// Computes the tile, in the vector width of the processor. An entry has the same bytes in any tile that holds it.
void multiply_tile(const DenseProduct& product, const ProductTile& tile);

}  // namespace dunlin::numerics
