// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dunlin::arrange {

/// A row-convex polyomino: row r covers the cells [first, last), bottom row first.
struct Polyomino {
    struct RowRange {
        int first = 0, last = 0;
    };
    int width = 0;
    std::vector<RowRange> rows;

    [[nodiscard]] int height() const { return static_cast<int>(rows.size()); }
};

struct GridCell {
    int x = 0, y = 0;
};

/// Packs polyominoes on an unbounded grid, as near to the center as they fit (after Freivalds, Dogrusoz and Kikusts
/// 2002). Place large ones first.
class PolyominoPacking {
public:
    /// Places a polyomino; returns the cell of its lower left corner.
    GridCell place(const Polyomino& polyomino);

private:
    /// Position of a search: a step along a square ring around the center.
    struct Cursor {
        int ring = 0, step = 0;
        [[nodiscard]] GridCell cell() const;
        void advance();
    };

    [[nodiscard]] bool fits(const Polyomino& polyomino, GridCell corner) const;
    void occupy(const Polyomino& polyomino, GridCell corner);
    void grow(int half_width);
    [[nodiscard]] bool is_any_occupied(int y, int first, int last) const;
    [[nodiscard]] std::size_t word_of(int x, int y) const;

    int half_width_ =
        0;  ///< cells from -half_width_ to half_width_ - 1 have a bit (a multiple of 64); all others are free
    std::vector<std::uint64_t> occupied_;
    std::map<std::pair<int, int>, Cursor> cursors_;  ///< per size class: where its last polyomino was placed
};

}  // namespace dunlin::arrange
