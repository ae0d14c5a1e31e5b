// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Initial centroids (clusters x cols), scaled to length 1 for cosine. Throws device::Cancelled.
std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run);

// Shared with initialization on a GPU:

/// Draws a row with probability proportional to its weight. The running sum goes over groups of 32 blocks, then over
/// the blocks of a group, then over the rows of a block, so that only the sums of blocks are needed from parts of the
/// rows.
Offset draw_by_weight(device::Cpu& cpu, const Rows& rows, std::uint64_t seed);

/// `count` different rows, all sets equally likely (Floyd's algorithm).
std::vector<Offset> random_rows(Offset rows, Index count, std::uint64_t seed);

/// Coordinates of these rows, scaled to length 1 for cosine.
std::vector<float> values_of(const Rows& rows, const std::vector<Offset>& chosen);

}  // namespace dunlin::kmeans
