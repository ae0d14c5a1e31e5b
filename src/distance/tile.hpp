// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

/// Inner loops of the neighbor search: tests a group of rows against a block of columns, both in the quantized
/// coordinates of a sketch, and returns the columns that may be near enough. All variants (AVX-512 with VNNI, portable)
/// return the same columns.
namespace dunlin::distance {

constexpr int lanes = 16;        ///< columns of a panel
constexpr int group_rows = 8;    ///< rows processed together
constexpr int group_panels = 3;  ///< panels processed together
constexpr int group_columns = lanes * group_panels;
constexpr int block_columns = 192;  ///< most columns of a block; a multiple of group_columns

/// Columns that pass, per row of the group, as indices within the block.
struct Hits {
    std::uint16_t columns[group_rows][block_columns + lanes];
    int count[group_rows];
};

/// A block of columns, packed into panels of 16. Bytes: for every `cell` dimensions, the cells (dot-product groups of
/// `cell` bytes) of 16 columns. Floats: for every dimension 16 floats.
template <class Value>
struct ColumnBlock {
    const Value* panels;
    int columns;  ///< a multiple of group_columns
    int dims;
};

/// Column j passes row i when x_j . y_i - starts_j >= least_i, with x in bytes 0..255 and y in -128..127.
/// dims: a multiple of 4.
void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits);

/// Column j passes row i when sum |x_j - y_i| <= most_i, both in bytes 0..255. dims: a multiple of 8.
void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                   Hits& hits);

/// Column j passes row i when sum (x_j - y_i)^2 <= most_i, or sum |x_j - y_i| <= most_i.
void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);
void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);

/// Sums of the values of a row of bytes minus 128.
struct ByteSums {
    std::int32_t sum = 0, squares = 0;
};
ByteSums sums_of(const std::uint8_t* row, Index dims);
void to_signed(const std::uint8_t* row, Index dims, std::int8_t* out);  ///< out = row - 128

/// The threshold least_i with which scan_dots passes columns within distance `reach` of the row. For bytes x, y minus
/// 128, |x - y|^2 <= reach^2 <=> x.y - |x|^2 / 2 >= (|y|^2 - reach^2) / 2, and (x + 128).y = x.y + 128 sum y.
inline std::int32_t least_dot(ByteSums row, double reach) {
    const double least = (static_cast<double>(row.squares) - reach * reach) / 2 + 128.0 * row.sum;
    return static_cast<std::int32_t>(std::clamp(least, -0x1p29, 0x1p30)) - 2;
}

constexpr Index dot_columns = 64;  ///< `dots` processes this many dimensions at a time

/// out_i = x_i . y for the rows x_i at base + dims * columns_i. dims: a multiple of dot_columns, below 65,000.
void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out);

}  // namespace dunlin::distance
