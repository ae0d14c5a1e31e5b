// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"

/// Parts of KL(P, Q) = sum p log(p / q') + log(Z) sum p, with q' = q Z, for both devices.
namespace dunlin::scores {

/// Maximum number of points for which Z is summed over all pairs.
constexpr Index exact_normalizer = 250000;

/// Rows whose masses (sums of q' over their pairs) give Z, ascending: all rows, or beyond exact_normalizer a sample
/// with as many pairs as the largest exact sum.
std::vector<Index> rows_of_normalizer(Index n, const Options& options, std::uint64_t seed);

/// Throws Error{bad_input} if the sizes differ, for fewer than 2 points, or a map of more than 3 dimensions.
void check_kl(const Graph& affinities, const Map& map);

/// kl of a map of 1 to 3 dimensions that has as many points as the affinities, at least 2, with q' = law.mass.
template <class Law>
Score kl_on_cpu(device::Cpu& cpu, const Law& law, const Graph& affinities, const Map& map, const Options& options,
                std::uint64_t seed);

/// KL from cost = sum p log(p / q'), total = sum p, and the mean mass of a row.
Score kl_of(double cost, double total, const Score& row_mass, Index n);

}  // namespace dunlin::scores
