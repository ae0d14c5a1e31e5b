// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::spanning {

/// Bits of a coordinate of hilbert_key.
template <Index Cols>
constexpr int hilbert_bits = Cols == 1   ? 32
                             : Cols == 2 ? 31
                             : Cols == 3 ? 21
                                         : 16;

/// The place on the Hilbert curve of a cell, whose coordinates are below 2^hilbert_bits (Skilling 2004): one after the
/// other, cells are neighbors. Overwrites the coordinates.
template <Index Cols>
DUNLIN_HD std::uint64_t hilbert_key(std::uint32_t* cell) {
    constexpr std::uint32_t top = std::uint32_t{1} << (hilbert_bits<Cols> - 1);
    // From the coarsest cells to finer ones: the turn or reflection of the curve in each
    for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
        const std::uint32_t below = bit - 1;
        for (Index c = 0; c < Cols; ++c) {
            const std::uint32_t differing = (cell[c] & bit) != 0 ? below : 0;
            const std::uint32_t swapped = differing != 0 ? 0 : (cell[0] ^ cell[c]) & below;
            cell[0] ^= differing ^ swapped;
            cell[c] ^= swapped;
        }
    }
    // Gray code
    for (Index c = 1; c < Cols; ++c) cell[c] ^= cell[c - 1];
    std::uint32_t flips = 0;
    for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
        if ((cell[Cols - 1] & bit) != 0) flips ^= bit - 1;
    }
    std::uint64_t key = 0;
    for (int bit = hilbert_bits<Cols> - 1; bit >= 0; --bit) {
        for (Index c = 0; c < Cols; ++c) key = key << 1 | ((cell[c] ^ flips) >> bit & 1);
    }
    return key;
}

}  // namespace dunlin::spanning
