// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "math/hd.hpp"

/// Morton codes: interleaved bits of two or three cell numbers. Sorting by code gives the depth-first order of the
/// cells of a quadtree or octree (Morton 1966).
namespace dunlin::math {

/// Bits of each cell number in a code of 32 bits.
template <int D>
inline constexpr int morton_bits = D == 2 ? 16 : 10;

/// Inserts a zero after every bit of a 16-bit number.
DUNLIN_HD inline std::uint32_t spread_by_two(std::uint32_t v) {
    v = (v | (v << 8)) & 0x00ff00ffU;
    v = (v | (v << 4)) & 0x0f0f0f0fU;
    v = (v | (v << 2)) & 0x33333333U;
    return (v | (v << 1)) & 0x55555555U;
}

/// Inserts two zeros after every bit of a 10-bit number.
DUNLIN_HD inline std::uint32_t spread_by_three(std::uint32_t v) {
    v = (v | (v << 16)) & 0x030000ffU;
    v = (v | (v << 8)) & 0x0300f00fU;
    v = (v | (v << 4)) & 0x030c30c3U;
    return (v | (v << 2)) & 0x09249249U;
}

/// Code of a cell; axis 0 has the lowest bit of every digit.
template <int D>
DUNLIN_HD std::uint32_t morton(const std::uint32_t* cell) {
    if constexpr (D == 2) return spread_by_two(cell[0]) | spread_by_two(cell[1]) << 1;
    return spread_by_three(cell[0]) | spread_by_three(cell[1]) << 1 | spread_by_three(cell[D - 1]) << 2;
}

/// Cell of coordinate x among 2^bits cells of side 1 / scale from `low` on. Coordinates outside, and NaN, are clamped
/// to the first or last cell.
template <int D>
DUNLIN_HD std::uint32_t morton_cell(float x, float low, float scale) {
    constexpr auto last = static_cast<float>((1U << morton_bits<D>)-1);
    const float cell = (x - low) * scale;
    return cell > 0 ? static_cast<std::uint32_t>(cell < last ? cell : last) : 0;
}

/// Codes of points in a box given by its minimum and maximum coordinates; an axis of width 0 has one cell.
template <int D>
struct MortonBox {
    float low[D]{}, scale[D]{};

    MortonBox() = default;
    DUNLIN_HD MortonBox(const float* least, const float* most) {
        for (int c = 0; c < D; ++c) {
            low[c] = least[c];
            scale[c] = most[c] > least[c] ? static_cast<float>(1U << morton_bits<D>) / (most[c] - least[c]) : 0;
        }
    }
    [[nodiscard]] DUNLIN_HD std::uint32_t code(const float* point) const {
        std::uint32_t cell[D];
        for (int c = 0; c < D; ++c) cell[c] = morton_cell<D>(point[c], low[c], scale[c]);
        return morton<D>(cell);
    }
};

}  // namespace dunlin::math
