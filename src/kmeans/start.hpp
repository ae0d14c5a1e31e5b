// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kmeans/formulas.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Initial centroids (clusters x cols), scaled to length 1 for cosine. Throws progress::Cancelled.
std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run);

/// Whether k-means++ keeps the distances to the candidates of a step (`draws` floats per row) instead of computing
/// those to the chosen one again: they take at most half the memory of the rows, which have so many values of 4 bytes.
[[nodiscard]] inline bool keeps_distances(Offset rows, Offset values, int draws) { return values >= 2 * rows * draws; }
/// Values of 4 bytes of sparse rows: numbers and columns.
[[nodiscard]] inline Offset values_of_sparse(Offset nonzeros) { return 2 * nonzeros; }

/// Memory of the start in bytes, at most. `values`: of the rows, 4 bytes each.
std::uint64_t bytes_of_start(Offset rows, Offset values, Index clusters, Start start);

// Shared with initialization on a GPU and over shards:

/// Draws a row with probability proportional to its weight. The running sum goes over groups of 32 blocks, then over
/// the blocks of a group, then over the rows of a block, so that only the sums of blocks are needed from parts of the
/// rows.
Offset draw_by_weight(device::Cpu& cpu, const Rows& rows, std::uint64_t seed);
/// draw_by_weight() for rows that are not here. blocks: sum of weights of each block. Empty: all weights are 1.
/// in_block(begin, end) returns the weights of the rows [begin, end) of a block.
Offset draw_by_blocks(Offset rows, const std::vector<double>& blocks,
                      const std::function<std::vector<float>(Offset, Offset)>& in_block, std::uint64_t seed);

/// `count` different rows, all sets equally likely (Floyd's algorithm).
std::vector<Offset> random_rows(Offset rows, Index count, std::uint64_t seed);

/// The nearest of the centroids for each row.
std::vector<Index> labels_of(device::Cpu& cpu, const Rows& rows, const std::vector<float>& centroids);

/// Sums of the weights of each label's rows as integers, and the weights that these are.
std::vector<Sum> integer_weights(const Rows& rows, const std::vector<Index>& labels, Index count, double scale);
std::vector<float> weights_of(const std::vector<Sum>& sums, double scale);

/// Coordinates of these rows, scaled to length 1 for cosine.
std::vector<float> values_of(const Rows& rows, const std::vector<Offset>& chosen);

}  // namespace dunlin::kmeans
