// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <dunlin/column_offsets.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// Number of rows, evenly spread over a file, that decide offsets and the types of columns: 64, fewer for long rows.
inline Index sample_size(std::size_t cols) {
    constexpr std::size_t values = std::size_t{1} << 20;
    return static_cast<Index>(std::clamp<std::size_t>(values / std::max<std::size_t>(cols, 1), 8, 64));
}

/// Index of sampled row `i` of `sampled`, out of `rows`.
inline Index sampled_row(Index i, Index sampled, Index rows) { return static_cast<Index>(Offset{i} * rows / sampled); }

/// Shift of each of `cols` columns before narrowing to float32, from a row-major sample: the median if it exceeds 256
/// times the column's spread, else 0. The spread is the range of the middle 7/8 of the sample; if that is zero, of the
/// whole sample; for a constant column, the largest spread of all columns. A constant column also has a shift from 2^24
/// on, and, where all columns are constant, as in a single row, if float32 cannot hold it. Empty if no column needs a
/// shift. offsets: which shifts are taken; common: their median in all columns.
std::vector<double> choose_shift(std::span<const double> sample, Index cols,
                                 ColumnOffsets offsets = ColumnOffsets::subtract);

}  // namespace dunlin::io
