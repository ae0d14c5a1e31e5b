// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Sizes of the kernels of a mixture, which the host plans with.
namespace dunlin::mixture {

constexpr int block_threads = 256;
constexpr int tile_side = 64, tile_depth = 16;
constexpr Index window_rows = 4 * block_threads;  ///< of a chunk that a block reads at once for its list of rows
constexpr int most_lanes = 32;                    ///< columns of the moments of a block

/// Tiles of the lower triangle of a cols x cols matrix.
DUNLIN_HD inline Index tile_pairs(Index cols) {
    const Index tiles = (cols + tile_side - 1) / tile_side;
    return tiles * (tiles + 1) / 2;
}

}  // namespace dunlin::mixture
