// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dunlin::arrange {

/// A piece of square cells without hollows: in each of its rows the cells [first, last), first row at the bottom.
struct Polyomino {
    struct Row {
        int first = 0, last = 0;
    };
    int width = 0;
    std::vector<Row> rows;

    [[nodiscard]] int height() const { return static_cast<int>(rows.size()); }
};

struct Cell {
    int x = 0, y = 0;
};

/// An endless board on which pieces are laid around a middle, as near to it as they fit (after Freivalds, Dogrusoz and
/// Kikusts 2002, who pack graphs as polyominoes). Lay large pieces first.
class PolyominoPacking {
public:
    /// Lays a piece and returns the cell of its lower left corner.
    Cell lay(const Polyomino& piece);

private:
    /// Where a search stands: a step along a square ring around the middle.
    struct Cursor {
        int ring = 0, step = 0;
        [[nodiscard]] Cell cell() const;
        void advance();
    };

    [[nodiscard]] bool fits(const Polyomino& piece, Cell corner) const;
    void cover(const Polyomino& piece, Cell corner);
    void grow(int reach);
    [[nodiscard]] bool any(int y, int first, int last) const;
    [[nodiscard]] std::size_t word_of(int x, int y) const;

    int reach_ = 0;  ///< cells from -reach_ to reach_ - 1 have a bit, a multiple of 64; all others are free
    std::vector<std::uint64_t> taken_;
    std::map<std::pair<int, int>, Cursor>
        cursors_;  ///< per kind of size: where the last piece of this kind came to lie
};

}  // namespace dunlin::arrange
