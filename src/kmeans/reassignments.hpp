// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"

/// Reassigned rows of a tile, and sums of whole tiles, which ClusterSums (sums.hpp) computes row by row.
namespace dunlin::kmeans {

/// Bit r of `rows`: whether a[r] != b[r]; both have tile_rows elements.
void find_differences(const Index* a, const Index* b, std::uint64_t* rows);

/// A whole tile of rows of weight 1.
struct TileOfRows {
    const float* columns;  ///< cols x tile_rows
    Index cols;
    const double* scales;  ///< by column
};

/// Whether there are so few sums that comparing all rows of a tile with each cluster is faster than adding row by row.
[[nodiscard]] inline bool whole_tiles_suit(Index cols, Index clusters) { return clusters <= 64 / (cols + 1); }

/// Adds (sign 1) or subtracts (-1) the rows to the sums of their clusters, in the layout of ClusterSums; rows of label
/// -1 are skipped.
void add_tile(const TileOfRows& tile, const Index* label, Sum sign, Index clusters, Sum* sums);

}  // namespace dunlin::kmeans
