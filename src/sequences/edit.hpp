// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "math/bits.hpp"
#include "math/hd.hpp"

/// Edit distance by bit vectors (Myers 1999, in the form of Hyyro 2003). The dynamic program
///     D(i, j) = min(D(i-1, j-1) + [x_i != y_j], D(i-1, j) + 1, D(i, j-1) + 1)
/// has neighboring entries that differ by at most 1, so that a column is two bit vectors of the vertical differences +1
/// and -1, and a step to the next column takes some operations on words.
namespace dunlin::sequences {

/// Differences of a column, of as many rows as a word has bits. Word: an unsigned integer or a vector of them.
template <class Word>
struct EditColumn {
    Word plus;   ///< D(i, j) - D(i-1, j) = +1
    Word minus;  ///< ... = -1
};

/// Horizontal differences D(i, j) - D(i, j-1) of all rows of a column.
template <class Word>
struct EditStep {
    Word plus, minus;
};

/// Moves a column by one symbol of the text. match: rows whose symbol equals that of the text. above_plus, above_minus:
/// 1 if the horizontal difference above the first row is +1, -1. Returns the horizontal differences.
template <class Word>
[[gnu::always_inline]] DUNLIN_HD inline EditStep<Word> edit_step(EditColumn<Word>& column, Word match, Word above_plus,
                                                                 Word above_minus) {
    const Word vertical = match | column.minus;
    const Word entered = match | above_minus;
    const Word diagonal = (((entered & column.plus) + column.plus) ^ column.plus) | entered;
    const Word plus = column.minus | ~(diagonal | column.plus);
    const Word minus = column.plus & diagonal;
    const Word plus_above = (plus << 1) | above_plus, minus_above = (minus << 1) | above_minus;
    column.plus = minus_above | ~(vertical | plus_above);
    column.minus = plus_above & vertical;
    return {plus, minus};
}

/// One step for a strip of 64 rows. above: horizontal difference of the row above the strip. Returns that of the last
/// row of the strip. Both are coded as 0, 1 for +1 and 2 for -1.
DUNLIN_HD inline unsigned edit_strip_step(EditColumn<std::uint64_t>& column, std::uint64_t match, unsigned above) {
    const EditStep<std::uint64_t> step =
        edit_step(column, match, std::uint64_t{above & 1U}, std::uint64_t{above >> 1U});
    return static_cast<unsigned>(step.plus >> 63U) | static_cast<unsigned>(step.minus >> 63U) << 1U;
}

/// The sum of the vertical differences of the first rows; 0 if there are none.
DUNLIN_HD inline int vertical_sum(const EditColumn<std::uint64_t>& column, int rows) {
    if (rows <= 0) return 0;
    const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(64 - rows);
    return math::count_bits(column.plus & mask) - math::count_bits(column.minus & mask);
}

}  // namespace dunlin::sequences
