// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/scores.hpp>

/// Parts of KL(P, Q) = sum p log(p / q') + log(Z) sum p, with q' = q Z, for both devices.
namespace dunlin::scores {

/// Maximum number of points for which Z is summed over all pairs.
constexpr Index exact_normalizer = 250000;

/// Rows whose masses (sums of q' over their pairs) give Z, ascending: all rows, or beyond exact_normalizer a sample
/// with as many pairs as the largest exact sum.
std::vector<Index> rows_of_normalizer(Index n, const Options& options, std::uint64_t seed);

/// KL from cost = sum p log(p / q'), total = sum p, and the mean mass of a row.
Score kl_of(double cost, double total, const Score& row_mass, Index n);

}  // namespace dunlin::scores
