// SPDX-License-Identifier: Apache-2.0
#include "picture/mark_cells.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::picture {

namespace {

constexpr float finest = 0.5F;      // pixels
constexpr float most_cells = 2400;  // along the longer side

}  // namespace

MarkCells::MarkCells(float width, float height)
    : side_(std::max(finest, std::max(width, height) / most_cells)),
      columns_(static_cast<int>(std::ceil(width / side_))),
      rows_(static_cast<int>(std::ceil(height / side_))),
      sums_((static_cast<std::size_t>(columns_) + 1) * (static_cast<std::size_t>(rows_) + 1)) {}

int MarkCells::cell(float pixel, int cells) const {
    return static_cast<int>(std::clamp(std::floor(pixel / side_), -1.0F, static_cast<float>(cells)));
}

void MarkCells::add_disc(PixelPoint center, float radius) {
    const int first = std::max(cell(center.y - radius, rows_), 0),
              last = std::min(cell(center.y + radius, rows_), rows_ - 1);
    for (int row = first; row <= last; ++row) {
        // The widest chord within the row of cells
        const float top = static_cast<float>(row) * side_, bottom = top + side_;
        const float across = center.y - std::clamp(center.y, top, bottom);
        const float half = std::sqrt(std::max(radius * radius - across * across, 0.0F));
        const int left = std::max(cell(center.x - half, columns_), 0);
        const int right = std::min(cell(center.x + half, columns_), columns_ - 1);
        for (int column = left; column <= right; ++column) add(column, row);
    }
}

void MarkCells::add_line(PixelPoint a, PixelPoint b) {
    const float dx = b.x - a.x, dy = b.y - a.y;
    const auto steps = static_cast<int>(std::max(std::abs(dx), std::abs(dy)) / side_) + 1;
    for (int step = 0; step <= steps; ++step) {
        const float share = static_cast<float>(step) / static_cast<float>(steps);
        const int column = cell(a.x + share * dx, columns_), row = cell(a.y + share * dy, rows_);
        if (column >= 0 && column < columns_ && row >= 0 && row < rows_) add(column, row);
    }
}

void MarkCells::sum() {
    for (int row = 1; row <= rows_; ++row) {
        std::uint32_t along = 0;
        for (int column = 1; column <= columns_; ++column) {
            along += sums_[at(column, row)];
            sums_[at(column, row)] = sums_[at(column, row - 1)] + along;
        }
    }
}

std::int64_t MarkCells::count(const PixelRect& box) const {
    const int left = std::clamp(cell(box.left, columns_), 0, columns_);
    const int right = std::clamp(cell(box.left + box.width, columns_) + 1, 0, columns_);
    const int top = std::clamp(cell(box.top, rows_), 0, rows_);
    const int bottom = std::clamp(cell(box.top + box.height, rows_) + 1, 0, rows_);
    if (left >= right || top >= bottom) return 0;
    return std::int64_t{sums_[at(right, bottom)]} - sums_[at(left, bottom)] - sums_[at(right, top)] +
           sums_[at(left, top)];
}

}  // namespace dunlin::picture
