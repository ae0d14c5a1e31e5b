// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"

/// Which rows of a tile change their cluster, and sums of whole tiles: what Sums (sums.hpp) does row by row.
namespace dunlin::kmeans {

/// Bit r of `rows`: whether a[r] is not b[r]; both have tile_rows.
void find_differences(const Index* a, const Index* b, std::uint64_t* rows);

/// A whole tile of rows of weight 1.
struct TileOfRows {
    const float* columns;  ///< cols x tile_rows
    Index cols;
    const double* scales;  ///< by column
};

/// Few enough sums that it is faster to look through all of them for a tile than to look up each row's.
[[nodiscard]] inline bool whole_tiles_suit(Index cols, Index clusters) { return clusters <= 64 / (cols + 1); }

/// Adds (sign 1) or takes away (-1) the rows to the sums of their clusters, as Sums lays them out; a row of label -1
/// belongs to none.
void add_tile(const TileOfRows& tile, const Index* label, Sum sign, Index clusters, Sum* sums);

}  // namespace dunlin::kmeans
