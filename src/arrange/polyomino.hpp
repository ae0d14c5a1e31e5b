// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
        [[nodiscard]] GridCell direction() const;  ///< of the next step
        void advance(int steps);                   ///< at most to the end of the side
    };

    /// An occupied cell that is in the way at this place, one that stays so for many steps; none if the polyomino fits.
    [[nodiscard]] std::optional<GridCell> obstacle(const Polyomino& polyomino, GridCell corner,
                                                   GridCell direction) const;
    [[nodiscard]] Cursor first_cursor(const Polyomino& polyomino) const;
    void occupy(const Polyomino& polyomino, GridCell corner);
    void grow(int half_width);
    /// The last occupied cell of [first, last) in a row, or the first; none: `last`.
    [[nodiscard]] int occupied_cell(int y, int first, int last, bool from_right) const;
    [[nodiscard]] std::size_t word_of(int x, int y) const;

    int half_width_ =
        0;  ///< cells from -half_width_ to half_width_ - 1 have a bit (a multiple of 64); all others are free
    std::vector<std::uint64_t> occupied_;
    int core_ = 0;  ///< cells from -core_ to core_ - 1 are occupied by the first polyomino
    std::map<std::pair<int, int>, Cursor> cursors_;  ///< per size class: where its last polyomino was placed
};

}  // namespace dunlin::arrange
