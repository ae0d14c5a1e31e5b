// SPDX-License-Identifier: Apache-2.0
#include "numerics/product_tile.hpp"

#include <algorithm>
#include <vector>

#include "device/lanes.hpp"
#include "math/at.hpp"

// The product of Goto and van de Geijn (2008): both factors are copied into panels that are read in order, b's panels
// stay in the second-level cache, and a block of c of a few rows and two vectors is summed in registers.
namespace dunlin::numerics {

namespace {

constexpr Index depth = 256;  // of the panels, along the inner dimension

/// Rows of a block of c: its sums, two vectors of b and a broadcast of a fill the registers.
template <class Lanes>
constexpr Index block_rows = device::lanes_of<Lanes> == 16 ? 12 : 6;
template <class Lanes>
constexpr Index block_cols = 2 * device::lanes_of<Lanes>;

/// The panels of up to `depth` steps: [panel][step][place], a panel has `width` rows of a or columns of b; places
/// beyond the tile are 0. along: from a place to the next in memory; across: from a step to the next.
DUNLIN_INLINE void fill_panels(const float* from, Offset along, Offset across, Index places, Index steps, Index width,
                               float* panels) {
    for (Index first = 0; first < places; first += width) {
        const Index count = std::min(width, places - first);
        const float* const source = from + first * along;
        if (along == 1) {
            for (Index k = 0; k < steps; ++k) {
                for (Index p = 0; p < count; ++p) panels[k * width + p] = source[k * across + p];
                for (Index p = count; p < width; ++p) panels[k * width + p] = 0;
            }
        } else {
            for (Index p = 0; p < width; ++p) {
                for (Index k = 0; k < steps; ++k)
                    panels[k * width + p] = p < count ? source[p * along + k * across] : 0.0F;
            }
        }
        panels += Offset{steps} * width;
    }
}

/// sums: block_rows x block_cols, the product of a panel of a and one of b.
template <class Lanes>
DUNLIN_INLINE void multiply_panels(const float* a, const float* b, Index steps, float* sums) {
    constexpr Offset rows = block_rows<Lanes>, lanes = device::lanes_of<Lanes>;
    Lanes sum[rows][2] = {};
    for (Offset k = 0; k < steps; ++k) {
        Lanes left, right;
        __builtin_memcpy(&left, b + k * 2 * lanes, sizeof(Lanes));
        __builtin_memcpy(&right, b + k * 2 * lanes + lanes, sizeof(Lanes));
#pragma GCC unroll 12
        for (Offset r = 0; r < rows; ++r) {
            sum[r][0] += a[k * rows + r] * left;
            sum[r][1] += a[k * rows + r] * right;
        }
    }
#pragma GCC unroll 12
    for (Offset r = 0; r < rows; ++r) {
        __builtin_memcpy(sums + r * 2 * lanes, &sum[r][0], sizeof(Lanes));
        __builtin_memcpy(sums + r * 2 * lanes + lanes, &sum[r][1], sizeof(Lanes));
    }
}

/// c = scale * sums + keep * c in the part of a block that is within the tile; sums null: they are 0.
DUNLIN_INLINE void add_block(const float* sums, Index stride, Index rows, Index cols, float scale, float keep, float* c,
                             Index c_stride) {
    for (Index r = 0; r < rows; ++r) {
        float* const row = c + Offset{r} * c_stride;
        if (sums == nullptr) {
            for (Index k = 0; k < cols; ++k) row[k] = keep == 0 ? 0.0F : keep * row[k];
        } else if (keep == 0) {
            for (Index k = 0; k < cols; ++k) row[k] = scale * sums[r * stride + k];
        } else {
            for (Index k = 0; k < cols; ++k) row[k] = scale * sums[r * stride + k] + keep * row[k];
        }
    }
}

Index up_to_multiple(Index size, Index of) { return (size + of - 1) / of * of; }

template <class Lanes>
DUNLIN_INLINE void multiply_tile_as(const DenseProduct& p, const ProductTile& tile) {
    constexpr Index rows = block_rows<Lanes>, cols = block_cols<Lanes>;
    const Index most = std::min(depth, p.inner);
    std::vector<float> a(at(Offset{up_to_multiple(tile.rows, rows)} * most));
    std::vector<float> b(at(Offset{up_to_multiple(tile.cols, cols)} * most));
    alignas(64) float sums[rows * cols] = {};
    float* const c = p.c + Offset{tile.row} * p.cols + tile.col;
    if (p.inner == 0) add_block(nullptr, 0, tile.rows, tile.cols, 0, p.keep, c, p.cols);
    for (Index first = 0; first < p.inner; first += depth) {
        const Index steps = std::min(depth, p.inner - first);
        const Offset a_along = p.a.transposed ? 1 : p.a.stride, a_across = p.a.transposed ? p.a.stride : 1;
        const Offset b_along = p.b.transposed ? p.b.stride : 1, b_across = p.b.transposed ? 1 : p.b.stride;
        fill_panels(p.a.from(tile.row, first), a_along, a_across, tile.rows, steps, rows, a.data());
        fill_panels(p.b.from(first, tile.col), b_along, b_across, tile.cols, steps, cols, b.data());
        const float keep = first == 0 ? p.keep : 1;
        for (Index col = 0; col < tile.cols; col += cols) {
            for (Index row = 0; row < tile.rows; row += rows) {
                multiply_panels<Lanes>(a.data() + Offset{row} * steps, b.data() + Offset{col} * steps, steps, sums);
                add_block(sums, cols, std::min(rows, tile.rows - row), std::min(cols, tile.cols - col), p.scale, keep,
                          c + Offset{row} * p.cols + col, p.cols);
            }
        }
    }
}

}  // namespace

DUNLIN_BY_WIDTH(multiply_tile, (const DenseProduct& product, const ProductTile& tile), (product, tile))

}  // namespace dunlin::numerics
