// SPDX-License-Identifier: Apache-2.0
#include "numerics/tiled_product.hpp"

#include <algorithm>

#include "numerics/product_tile.hpp"

namespace dunlin::numerics {

namespace {

/// Largest tiles. Smaller ones give work to more threads, larger ones copy less: each copies its rows and columns of
/// the factors.
constexpr Index most_rows = 256, most_cols = 512;

/// Equal parts of at most `most`.
Index part_of(Index size, Index most) {
    const Index count = std::max<Index>(1, (size + most - 1) / most);
    return (size + count - 1) / count;
}

}  // namespace

void multiply(device::Cpu& cpu, const DenseProduct& p) {
    if (p.rows == 0 || p.cols == 0) return;
    const Index rows = part_of(p.rows, most_rows), cols = part_of(p.cols, most_cols);
    const Index across = (p.cols + cols - 1) / cols, down = (p.rows + rows - 1) / rows;
    cpu.blocks(Offset{down} * across, 1, [&](Offset block, Offset, int) {
        const Index row = static_cast<Index>(block / across) * rows, col = static_cast<Index>(block % across) * cols;
        multiply_tile(p, {row, col, std::min(rows, p.rows - row), std::min(cols, p.cols - col)});
    });
}

void multiply_here(const DenseProduct& p) {
    if (p.rows > 0 && p.cols > 0) multiply_tile(p, {0, 0, p.rows, p.cols});
}

}  // namespace dunlin::numerics
