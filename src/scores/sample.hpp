// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

namespace dunlin::scores {

/// The rows to look at, ascending: all n if these are at most `exact`, else `sample` of them.
/// Throws Error{bad_input} for fewer than 2.
std::vector<Index> rows_to_evaluate(Index n, Index exact, Index sample, std::uint64_t seed);

/// `count` of [0, n) without replacement, ascending; count <= n.
std::vector<Index> sample_rows(Index n, Index count, std::uint64_t seed);

/// The mean of one value per judged row of n. Its standard error s / sqrt(m) * sqrt(1 - m / n) is that of sampling
/// without replacement (Cochran 1977, eq. 2.20), hence 0 when every row was looked at.
Score mean_over(std::span<const double> values, Index n);

}  // namespace dunlin::scores
