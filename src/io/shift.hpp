// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::io {

/// So many rows, evenly spread over a file, decide about offsets and the kinds of columns: 64, fewer if they are long.
inline Index sample_size(std::size_t cols) {
    constexpr std::size_t values = std::size_t{1} << 20;
    return static_cast<Index>(std::clamp<std::size_t>(values / std::max<std::size_t>(cols, 1), 8, 64));
}

/// The row that is sampled as number `i` of `sampled` out of `rows`.
inline Index sampled_row(Index i, Index sampled, Index rows) { return static_cast<Index>(Offset{i} * rows / sampled); }

/// What to take from each of `cols` columns before narrowing to float32, from a sample (row after row): its median
/// where that is more than 256 times the column's spread, else nothing. The spread is the range of the middle 7/8 of
/// the sample, or of all of it if that is zero, or the largest spread of any column if the column is constant.
/// Empty: no column needs it, and values are stored as they are in the file.
std::vector<double> choose_shift(std::span<const double> sample, Index cols);

}  // namespace dunlin::io
