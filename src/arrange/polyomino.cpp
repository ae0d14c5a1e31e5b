// SPDX-License-Identifier: Apache-2.0
#include "arrange/polyomino.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dunlin::arrange {

namespace {

/// Lengths of one kind differ by less than a factor of sqrt(2).
int kind_of(int length) { return static_cast<int>(2 * std::log2(length)); }

/// The bits [first, last) of a word.
std::uint64_t bits(int first, int last) { return (~std::uint64_t{0} << first) & (~std::uint64_t{0} >> (64 - last)); }

}  // namespace

Cell PolyominoPacking::Cursor::cell() const {
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

Cell PolyominoPacking::lay(const Polyomino& piece) {
    // What was taken stays taken: where a piece did not fit, the next of its kind need not try
    Cursor& cursor = cursors_[{kind_of(piece.width), kind_of(piece.height())}];
    while (true) {
        const Cell middle = cursor.cell();
        const Cell corner{middle.x - piece.width / 2, middle.y - piece.height() / 2};
        if (fits(piece, corner)) {
            cover(piece, corner);
            return corner;
        }
        cursor.advance();
    }
}

bool PolyominoPacking::fits(const Polyomino& piece, Cell corner) const {
    for (int r = 0; r < piece.height(); ++r) {
        const Polyomino::Row row = piece.rows[static_cast<std::size_t>(r)];
        if (any(corner.y + r, corner.x + row.first, corner.x + row.last)) return false;
    }
    return true;
}

std::size_t PolyominoPacking::word_of(int x, int y) const {
    return (static_cast<std::size_t>(y + reach_) * static_cast<std::size_t>(2 * reach_) +
            static_cast<std::size_t>(x + reach_)) /
           64;
}

bool PolyominoPacking::any(int y, int first, int last) const {
    first = std::max(first, -reach_);
    last = std::min(last, reach_);
    if (y < -reach_ || y >= reach_ || first >= last) return false;
    const std::size_t begin = word_of(first, y), end = word_of(last - 1, y);
    const int low = (first + reach_) % 64, high = (last - 1 + reach_) % 64 + 1;
    if (begin == end) return (taken_[begin] & bits(low, high)) != 0;
    if ((taken_[begin] & bits(low, 64)) != 0 || (taken_[end] & bits(0, high)) != 0) return true;
    for (std::size_t word = begin + 1; word < end; ++word) {
        if (taken_[word] != 0) return true;
    }
    return false;
}

void PolyominoPacking::cover(const Polyomino& piece, Cell corner) {
    grow(std::max({-corner.x, -corner.y, corner.x + piece.width, corner.y + piece.height()}));
    for (int r = 0; r < piece.height(); ++r) {
        const Polyomino::Row row = piece.rows[static_cast<std::size_t>(r)];
        const int y = corner.y + r, last = corner.x + row.last;
        for (int x = corner.x + row.first; x < last;) {
            const int low = (x + reach_) % 64, high = std::min(64, low + last - x);
            taken_[word_of(x, y)] |= bits(low, high);
            x += high - low;
        }
    }
}

void PolyominoPacking::grow(int reach) {
    if (reach <= reach_) return;
    PolyominoPacking larger;
    larger.reach_ = std::max(64, static_cast<int>(std::bit_ceil(static_cast<unsigned>(reach))));
    larger.taken_.assign(static_cast<std::size_t>(larger.reach_) * static_cast<std::size_t>(larger.reach_) / 16, 0);
    for (int y = -reach_; y < reach_; ++y) {
        const auto row = taken_.begin() + static_cast<std::ptrdiff_t>(word_of(-reach_, y));
        std::copy_n(row, reach_ / 32, larger.taken_.begin() + static_cast<std::ptrdiff_t>(larger.word_of(-reach_, y)));
    }
    reach_ = larger.reach_;
    taken_.swap(larger.taken_);
}

}  // namespace dunlin::arrange
