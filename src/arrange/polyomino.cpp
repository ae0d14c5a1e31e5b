// SPDX-License-Identifier: Apache-2.0
#include "arrange/polyomino.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace dunlin::arrange {

namespace {

/// Lengths of one class differ by less than a factor of sqrt(2).
int size_class(int length) { return static_cast<int>(2 * std::log2(length)); }

/// Half the side of the largest square around the center that a polyomino covers.
int covered_square(const Polyomino& polyomino, GridCell corner) {
    int reach = std::numeric_limits<int>::max();  // of the rows within the square
    for (int half = 0;; ++half) {
        for (const int y : {-half - 1 - corner.y, half - corner.y}) {
            if (y < 0 || y >= polyomino.height()) return half;
            const Polyomino::RowRange row = polyomino.rows[static_cast<std::size_t>(y)];
            reach = std::min({reach, -(corner.x + row.first), corner.x + row.last});
        }
        if (reach <= half) return half;
    }
}

/// Whether a polyomino at this place covers a cell.
bool covers(const Polyomino& polyomino, GridCell corner, GridCell cell) {
    const int r = cell.y - corner.y;
    if (r < 0 || r >= polyomino.height()) return false;
    const Polyomino::RowRange row = polyomino.rows[static_cast<std::size_t>(r)];
    return cell.x >= corner.x + row.first && cell.x < corner.x + row.last;
}

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

GridCell PolyominoPacking::Cursor::direction() const {
    constexpr std::array<GridCell, 4> of_side = {{{0, 1}, {-1, 0}, {0, -1}, {1, 0}}};
    return ring == 0 ? of_side[0] : of_side[static_cast<std::size_t>(step / (2 * ring))];
}

void PolyominoPacking::Cursor::advance(int steps) {
    if (ring > 0) step += std::min(steps, 2 * ring - step % (2 * ring));
    if (step < 8 * ring) return;
    ++ring;
    step = 0;
}

GridCell PolyominoPacking::place(const Polyomino& polyomino) {
    // Cells are never freed, so positions that failed for this size class need not be tried again
    Cursor& cursor =
        cursors_.try_emplace({size_class(polyomino.width), size_class(polyomino.height())}, first_cursor(polyomino))
            .first->second;
    while (true) {
        const GridCell middle = cursor.cell(), direction = cursor.direction();
        const GridCell corner{middle.x - polyomino.width / 2, middle.y - polyomino.height() / 2};
        const std::optional<GridCell> cell = obstacle(polyomino, corner, direction);
        if (!cell) {
            if (occupied_.empty()) core_ = covered_square(polyomino, corner);
            occupy(polyomino, corner);
            return corner;
        }
        int steps = 1;
        while (covers(polyomino, {corner.x + steps * direction.x, corner.y + steps * direction.y}, *cell)) ++steps;
        cursor.advance(steps);
    }
}

PolyominoPacking::Cursor PolyominoPacking::first_cursor(const Polyomino& polyomino) const {
    const int half = std::max(polyomino.width, polyomino.height()) / 2 + 1;
    return {std::max(0, core_ - half), 0};  // nearer to the center, all its cells are occupied
}

std::optional<GridCell> PolyominoPacking::obstacle(const Polyomino& polyomino, GridCell corner,
                                                   GridCell direction) const {
    for (int k = 0; k < polyomino.height(); ++k) {
        const int r = direction.y > 0 ? polyomino.height() - 1 - k : k;  // those ahead first
        const Polyomino::RowRange row = polyomino.rows[static_cast<std::size_t>(r)];
        const int last = corner.x + row.last;
        const int x = occupied_cell(corner.y + r, corner.x + row.first, last, direction.x > 0);
        if (x < last) return GridCell{x, corner.y + r};
    }
    return std::nullopt;
}

std::size_t PolyominoPacking::word_of(int x, int y) const {
    return (static_cast<std::size_t>(y + half_width_) * static_cast<std::size_t>(2 * half_width_) +
            static_cast<std::size_t>(x + half_width_)) /
           64;
}

int PolyominoPacking::occupied_cell(int y, int first, int last, bool from_right) const {
    const int none = last;
    first = std::max(first, -half_width_);
    last = std::min(last, half_width_);
    if (y < -half_width_ || y >= half_width_ || first >= last) return none;
    const std::size_t begin = word_of(first, y), end = word_of(last - 1, y);
    const int low = (first + half_width_) % 64, high = (last - 1 + half_width_) % 64 + 1;
    for (std::size_t k = begin; k <= end; ++k) {
        const std::size_t word = from_right ? end - (k - begin) : k;
        const std::uint64_t found = occupied_[word] & bits(word == begin ? low : 0, word == end ? high : 64);
        if (found == 0) continue;
        const int bit = from_right ? 63 - std::countl_zero(found) : std::countr_zero(found);
        return first - low + 64 * static_cast<int>(word - begin) + bit;
    }
    return none;
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
