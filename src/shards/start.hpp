// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cpu.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {

/// Statistics of the rows that a driver collects before the first iteration.
struct ShardedData {
    WeightTotals weights;
    std::vector<double> blocks;  ///< sums of the weights over blocks of rows; none without weights
    Scales scales;
};

/// Asks for the weights and the statistics of the columns. Throws Error{bad_input} for numbers that cannot be used.
ShardedData measure_shards(device::Cpu& cpu, ShardRounds& rounds);

/// Initial centroids: the bytes of start_centroids (kmeans/start.hpp) of all rows.
std::vector<float> start_over_shards(device::Cpu& cpu, ShardRounds& rounds, const ShardedData& data, Index clusters,
                                     Start start, std::uint64_t seed, const Run& run);

}  // namespace dunlin::kmeans
