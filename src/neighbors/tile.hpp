#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// The inner loops of the search: a few rows against a block of columns, both in the coarse coordinates of a sketch;
/// out come the columns that may be near enough. Every variant (AVX-512 with VNNI, plain) finds the same columns.
namespace dunlin::neighbors {

constexpr int lanes = 16;        ///< columns side by side in a panel
constexpr int group_rows = 8;    ///< rows looked at together
constexpr int group_panels = 3;  ///< panels looked at together
constexpr int group_columns = lanes * group_panels;
constexpr int block_columns = 384;  ///< most columns of a block; a multiple of group_columns

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

/// sum x_c y_c. count: a multiple of 64, below 65,000.
std::int32_t dot(const std::uint8_t* x, const std::int8_t* y, int count);

}  // namespace dunlin::neighbors
