// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Centroids to start from (clusters x cols), in the metric's form. A stop asked for through `run` leaves random rows
/// in place of the ones not yet found.
std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run);

// What starts on other devices need too.

/// A row, drawn by weight: the one at which the running sum of weights passes a random share of all. The sum runs over
/// groups of 32 blocks, then over the blocks of a group, then over the rows of a block, so that parts of the rows need
/// to hand over the sums of their blocks only.
Offset draw_by_weight(device::Cpu& cpu, const Rows& rows, std::uint64_t seed);

/// So many different rows, all sets equally likely (Floyd).
std::vector<Offset> random_rows(Offset rows, Index count, std::uint64_t seed);

/// As many rows as clusters: where fewer were found, rows drawn by weight too.
std::vector<Offset> filled_up(device::Cpu& cpu, std::vector<Offset> chosen, const Rows& rows, Index clusters,
                              std::uint64_t seed);

/// These rows' coordinates, in the metric's form.
std::vector<float> values_of(const Rows& rows, const std::vector<Offset>& chosen);

}  // namespace dunlin::kmeans
