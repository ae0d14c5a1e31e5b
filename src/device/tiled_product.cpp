// SPDX-License-Identifier: Apache-2.0
#include "device/tiled_product.hpp"

#include <cblas.h>

#include <algorithm>

namespace dunlin::device {

namespace {

/// Largest tiles. Smaller ones give work to more threads, larger ones copy less: BLAS copies both factors of each.
constexpr Index most_rows = 256, most_cols = 512;

/// Equal parts of at most `most`.
Index part_of(Index size, Index most) {
    const Index count = std::max<Index>(1, (size + most - 1) / most);
    return (size + count - 1) / count;
}

struct ProductTile {
    Index row = 0, col = 0, rows = 0, cols = 0;
};

void multiply_tile(const DenseProduct& p, const ProductTile& tile) {
    if (tile.rows == 0 || tile.cols == 0) return;
    cblas_sgemm(CblasRowMajor, p.a.transposed ? CblasTrans : CblasNoTrans, p.b.transposed ? CblasTrans : CblasNoTrans,
                tile.rows, tile.cols, p.inner, p.scale, p.a.from(tile.row, 0), p.a.stride, p.b.from(0, tile.col),
                p.b.stride, p.keep, p.c + Offset{tile.row} * p.cols + tile.col, p.cols);
}

}  // namespace

void multiply(Cpu& cpu, const DenseProduct& p) {
    if (p.rows == 0 || p.cols == 0) return;
    const Index rows = part_of(p.rows, most_rows), cols = part_of(p.cols, most_cols);
    const Index across = (p.cols + cols - 1) / cols, down = (p.rows + rows - 1) / rows;
    cpu.blocks(Offset{down} * across, 1, [&](Offset block, Offset, int) {
        const Index row = static_cast<Index>(block / across) * rows, col = static_cast<Index>(block % across) * cols;
        multiply_tile(p, {row, col, std::min(rows, p.rows - row), std::min(cols, p.cols - col)});
    });
}

void multiply_here(const DenseProduct& p) { multiply_tile(p, {0, 0, p.rows, p.cols}); }

}  // namespace dunlin::device
