// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/scores.hpp>

/// What the devices share of KL(P, Q) = sum p log(p / q') + log(Z) sum p, where q' = q Z.
namespace dunlin::scores {

/// Up to this many points Z is summed over all pairs.
constexpr Index exact_normalizer = 250000;

/// The rows whose masses (sums of q' over their pairs) Z is taken from, ascending: all, or beyond exact_normalizer as
/// many sampled ones as meet as many points as the largest exact sum has pairs.
std::vector<Index> rows_of_normalizer(Index n, const Options& options, std::uint64_t seed);

/// From cost = sum p log(p / q'), total = sum p, and the mean mass of a row.
Score kl_of(double cost, double total, const Score& row_mass, Index n);

}  // namespace dunlin::scores
