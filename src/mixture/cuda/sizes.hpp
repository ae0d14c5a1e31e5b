// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Sizes of the kernels of a mixture, which the host plans with.
namespace dunlin::mixture {

constexpr int block_threads = 256;
constexpr int tile_side = 64, tile_depth = 16;
constexpr Index window_rows = 4 * block_threads;  ///< of a chunk that a block reads at once for its list of rows
constexpr int most_lanes = 128;                   ///< columns of the moments of a block

/// Rows of so few columns are read in whole tiles: their responsibilities are rarely 0, and a list of those that are
/// not costs more than the products of some columns.
constexpr Index few_columns = 16;
constexpr int few_rows = 64, few_components = 32;  ///< of a tile: rows, and at most so many components
constexpr int factors_at_once = 8;                 ///< components whose densities a block of few columns computes

/// Distance of means in deviations of a column up to which densities are computed about one of them: a rounding error
/// of 2^-53 of it in W (x - mean) is 1e-11.
constexpr double most_deviations = 1e5;

/// Products of columns of a row that are summed: of each with itself and, of a full covariance, with those before it.
DUNLIN_HD inline Index products_of(Index cols, bool full) { return full ? cols * (cols + 1) / 2 : cols; }

/// Components of which a block sums `products` each, a thread for each sum; of rows with few columns.
DUNLIN_HD inline Index components_of_block(Index components, Index products) {
    const Index room = block_threads / (products > 0 ? products : 1),
                most = room < few_components ? room : few_components;  // rows without columns are refused later
    return components < most ? components : most;
}

/// Tiles of the lower triangle of a cols x cols matrix.
DUNLIN_HD inline Index tile_pairs(Index cols) {
    const Index tiles = (cols + tile_side - 1) / tile_side;
    return tiles * (tiles + 1) / 2;
}

}  // namespace dunlin::mixture
