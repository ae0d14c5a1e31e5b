// SPDX-License-Identifier: Apache-2.0
#include "arrange/polyomino.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dunlin::arrange {

namespace {

/// Lengths of one class differ by less than a factor of sqrt(2).
int size_class(int length) { return static_cast<int>(2 * std::log2(length)); }

/// The bits [first, last) of a word.
std::uint64_t bits(int first, int last) { return (~std::uint64_t{0} << first) & (~std::uint64_t{0} >> (64 - last)); }

}  // namespace

GridCell PolyominoPacking::Cursor::cell() const {
    if (ring == 0) return {0, 0};
    const int side = 2 * ring, along = step % side - ring;
    switch (step / side) {
        case 0:
            return {ring, along};
        case 1:
            return {-along, ring};
        case 2:
            return {-ring, -along};
        default:
            return {along, -ring};
    }
}

void PolyominoPacking::Cursor::advance() {
    if (++step < 8 * ring) return;
    ++ring;
    step = 0;
}

GridCell PolyominoPacking::place(const Polyomino& polyomino) {
    // Cells are never freed, so positions that failed for this size class need not be tried again
    Cursor& cursor = cursors_[{size_class(polyomino.width), size_class(polyomino.height())}];
    while (true) {
        const GridCell middle = cursor.cell();
        const GridCell corner{middle.x - polyomino.width / 2, middle.y - polyomino.height() / 2};
        if (fits(polyomino, corner)) {
            occupy(polyomino, corner);
            return corner;
        }
        cursor.advance();
    }
}

bool PolyominoPacking::fits(const Polyomino& polyomino, GridCell corner) const {
    for (int r = 0; r < polyomino.height(); ++r) {
        const Polyomino::RowRange row = polyomino.rows[static_cast<std::size_t>(r)];
        if (is_any_occupied(corner.y + r, corner.x + row.first, corner.x + row.last)) return false;
    }
    return true;
}

std::size_t PolyominoPacking::word_of(int x, int y) const {
    return (static_cast<std::size_t>(y + half_width_) * static_cast<std::size_t>(2 * half_width_) +
            static_cast<std::size_t>(x + half_width_)) /
           64;
}

bool PolyominoPacking::is_any_occupied(int y, int first, int last) const {
    first = std::max(first, -half_width_);
    last = std::min(last, half_width_);
    if (y < -half_width_ || y >= half_width_ || first >= last) return false;
    const std::size_t begin = word_of(first, y), end = word_of(last - 1, y);
    const int low = (first + half_width_) % 64, high = (last - 1 + half_width_) % 64 + 1;
    if (begin == end) return (occupied_[begin] & bits(low, high)) != 0;
    if ((occupied_[begin] & bits(low, 64)) != 0 || (occupied_[end] & bits(0, high)) != 0) return true;
    for (std::size_t word = begin + 1; word < end; ++word) {
        if (occupied_[word] != 0) return true;
    }
    return false;
}

void PolyominoPacking::occupy(const Polyomino& polyomino, GridCell corner) {
    grow(std::max({-corner.x, -corner.y, corner.x + polyomino.width, corner.y + polyomino.height()}));
    for (int r = 0; r < polyomino.height(); ++r) {
        const Polyomino::RowRange row = polyomino.rows[static_cast<std::size_t>(r)];
        const int y = corner.y + r, last = corner.x + row.last;
        for (int x = corner.x + row.first; x < last;) {
            const int low = (x + half_width_) % 64, high = std::min(64, low + last - x);
            occupied_[word_of(x, y)] |= bits(low, high);
            x += high - low;
        }
    }
}

void PolyominoPacking::grow(int half_width) {
    if (half_width <= half_width_) return;
    PolyominoPacking larger;
    larger.half_width_ = std::max(64, static_cast<int>(std::bit_ceil(static_cast<unsigned>(half_width))));
    larger.occupied_.assign(
        static_cast<std::size_t>(larger.half_width_) * static_cast<std::size_t>(larger.half_width_) / 16, 0);
    for (int y = -half_width_; y < half_width_; ++y) {
        const auto row = occupied_.begin() + static_cast<std::ptrdiff_t>(word_of(-half_width_, y));
        std::copy_n(row, half_width_ / 32,
                    larger.occupied_.begin() + static_cast<std::ptrdiff_t>(larger.word_of(-half_width_, y)));
    }
    half_width_ = larger.half_width_;
    occupied_.swap(larger.occupied_);
}

}  // namespace dunlin::arrange
