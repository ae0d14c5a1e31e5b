// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "picture/page.hpp"

namespace dunlin::picture {

/// The cells of a page that marks (discs, lines) touch: how many of them a box covers, in constant time. Cells have a
/// side of half a pixel, more on pages of more than 1,200 pixels.
class MarkCells {
public:
    MarkCells(float width, float height);

    void add_disc(PixelPoint center, float radius);
    void add_line(PixelPoint a, PixelPoint b);
    /// After the last mark.
    void sum();

    /// Cells with marks among those that the box touches; for marks that were summed.
    [[nodiscard]] std::int64_t count(const PixelRect& box) const;

private:
    [[nodiscard]] int cell(float pixel, int cells) const;
    void add(int column, int row) { sums_[at(column + 1, row + 1)] = 1; }
    [[nodiscard]] std::size_t at(int column, int row) const {
        return static_cast<std::size_t>(row) * (static_cast<std::size_t>(columns_) + 1) +
               static_cast<std::size_t>(column);
    }

    float side_;
    int columns_, rows_;
    std::vector<std::uint32_t> sums_;  ///< of the cells above and to the left, with a row and a column of zeros
};

}  // namespace dunlin::picture
