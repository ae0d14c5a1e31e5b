// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

/// The inner loops of the search: a few rows against a block of columns, both in the coarse coordinates of a sketch;
/// out come the columns that may be near enough. Every variant (AVX-512 with VNNI, plain) finds the same columns.
namespace dunlin::distance {

constexpr int lanes = 16;        ///< columns side by side in a panel
constexpr int group_rows = 8;    ///< rows looked at together
constexpr int group_panels = 3;  ///< panels looked at together
constexpr int group_columns = lanes * group_panels;
constexpr int block_columns = 192;  ///< most columns of a block; a multiple of group_columns

/// Columns that passed, by row of the group; numbered within the block.
struct Hits {
    std::uint16_t columns[group_rows][block_columns + lanes];
    int count[group_rows];
};

/// A block of columns, cut into panels of 16. Bytes: for every `cell` dimensions, 16 columns' cells of that many bytes
/// side by side. Floats: for every dimension 16 floats.
template <class Value>
struct Block {
    const Value* panels;
    int columns;  ///< a multiple of group_columns
    int dims;
};

/// Column j passes row i when x_j . y_i - starts_j >= least_i, with x in bytes 0..255 and y in -128..127.
/// dims: a multiple of 4.
void scan_dots(const Block<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits);

/// Column j passes row i when sum |x_j - y_i| <= most_i, both in bytes 0..255. dims: a multiple of 8.
void scan_absolute(const Block<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most, Hits& hits);

/// Column j passes row i when sum (x_j - y_i)^2 <= most_i, or sum |x_j - y_i| <= most_i.
void scan_squares(const Block<float>& block, const float* rows, const float* most, Hits& hits);
void scan_absolute(const Block<float>& block, const float* rows, const float* most, Hits& hits);

/// What a row of bytes, less 128, sums to.
struct ByteSums {
    std::int32_t sum = 0, squares = 0;
};
ByteSums sums_of(const std::uint8_t* row, Index dims);
void to_signed(const std::uint8_t* row, Index dims, std::int8_t* out);  ///< less 128

/// The least_i for scan_dots that lets pass what lies within `reach` of the row: for bytes x, y less 128,
/// |x - y|^2 <= reach^2 <=> x.y - |x|^2 / 2 >= (|y|^2 - reach^2) / 2, and (x + 128).y = x.y + 128 sum y.
inline std::int32_t least_dot(ByteSums row, double reach) {
    const double least = (static_cast<double>(row.squares) - reach * reach) / 2 + 128.0 * row.sum;
    return static_cast<std::int32_t>(std::clamp(least, -0x1p29, 0x1p30)) - 2;
}

constexpr Index dot_columns = 64;  ///< `dots` takes columns by as many

/// out_i = x_i . y for the rows x_i at base + dims * columns_i. dims: a multiple of dot_columns, below 65,000.
void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out);

}  // namespace dunlin::distance
