// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/bits.hpp"
#include "math/hd.hpp"

/// Bit masks for 32 nodes of a row along z: nodes that are inside, and edges of Kuhn's triangulation that the surface
/// crosses.
namespace dunlin::surface {

using math::count_bits;
using math::lowest_bit;

/// The lowest `count` bits, 0 to 32.
DUNLIN_HD inline std::uint32_t low_bits(Index count) {
    return count >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << count) - 1;
}

/// A grid and the words of its rows. Row r = x ny + y; its words are r * words .. (r + 1) * words. Bits after the end
/// of a row are 0.
struct Shape {
    Index nx = 0, ny = 0, nz = 0;
    Index words = 0;  ///< of a row

    Shape() = default;
    DUNLIN_HD Shape(Index x, Index y, Index z) : nx(x), ny(y), nz(z), words((z + 31) / 32) {}

    [[nodiscard]] DUNLIN_HD Offset rows() const { return Offset{nx} * ny; }
    [[nodiscard]] DUNLIN_HD Offset all_words() const { return rows() * words; }
    [[nodiscard]] DUNLIN_HD Offset node(Index x, Index y, Index z) const { return (Offset{x} * ny + y) * nz + z; }
};

/// The inside bits of 32 nodes and of their neighbors: bit i of corner[c] is that of corner c of the cube at node i.
/// crossed[m - 1]: bit i is set if the surface crosses the edge of node i in direction m. cells: nodes that own a cell
/// which the surface crosses.
struct CubeWord {
    std::uint32_t corner[8];
    std::uint32_t crossed[7];
    std::uint32_t cells;

    [[nodiscard]] DUNLIN_HD int vertices() const {
        int count = 0;
        for (const std::uint32_t each : crossed) count += count_bits(each);
        return count;
    }
    /// Case of the cube at node i (cube.hpp).
    [[nodiscard]] DUNLIN_HD int cube_case(int i) const {
        unsigned all = 0;
        for (int c = 0; c < 8; ++c) all |= (corner[c] >> i & 1U) << c;
        return static_cast<int>(all);
    }
};

/// True if no surface crosses the edges of these nodes.
DUNLIN_HD inline bool is_empty(const CubeWord& word) {
    std::uint32_t any = 0;
    for (const std::uint32_t each : word.crossed) any |= each;
    return any == 0;
}

/// The word `w` of row (x, y), whose inside bits are *inside. Edges that leave the grid are not crossed.
DUNLIN_HD inline CubeWord cube_word(const Shape& shape, const std::uint32_t* inside, Index x, Index y, Index w) {
    CubeWord word{};
    const std::uint32_t here = low_bits(shape.nz - 32 * w), followed = low_bits(shape.nz - 1 - 32 * w);
    const bool has_next = w + 1 < shape.words;
    for (Offset row = 0; row < 4; ++row) {
        const Offset along_x = row >> 1, along_y = row & 1;
        const bool is_there = x + along_x < shape.nx && y + along_y < shape.ny;
        const std::uint32_t* const from = inside + (along_x * shape.ny + along_y) * shape.words;
        const std::uint32_t bits = is_there ? from[0] : 0;
        const std::uint32_t next = is_there && has_next ? from[1] : 0;
        word.corner[2 * row] = bits;
        word.corner[2 * row + 1] = bits >> 1 | next << 31;
        if (row > 0) word.crossed[2 * row - 1] = is_there ? (word.corner[0] ^ bits) & here : 0;
        word.crossed[2 * row] = is_there ? (word.corner[0] ^ word.corner[2 * row + 1]) & followed : 0;
    }
    if (x + 1 < shape.nx && y + 1 < shape.ny) {
        for (const std::uint32_t each : word.crossed) word.cells |= each;
        word.cells &= followed;
    }
    return word;
}

/// Position of the vertex of node `i`, direction m, among the vertices of its word: by direction, then by node.
DUNLIN_HD inline int rank_in_word(const std::uint32_t (&crossed)[7], int i, int m) {
    int rank = count_bits(crossed[m - 1] & low_bits(i));
    for (int before = 0; before < m - 1; ++before) rank += count_bits(crossed[before]);
    return rank;
}

}  // namespace dunlin::surface
