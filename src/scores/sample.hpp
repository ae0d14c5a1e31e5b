// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

namespace dunlin::scores {

/// Rows that a score uses, ascending: all n if n <= exact, else a sample of `sample` of them.
/// Throws Error{bad_input} for fewer than 2.
std::vector<Index> rows_to_evaluate(Index n, Index exact, Index sample, std::uint64_t seed);

/// A random sample of `count` of [0, n) without replacement, ascending; count <= n.
std::vector<Index> sample_rows(Index n, Index count, std::uint64_t seed);

/// Mean of the values of m sampled rows of n. Its standard error s / sqrt(m) * sqrt(1 - m / n) is that of sampling
/// without replacement (Cochran 1977, eq. 2.20), hence 0 if m = n.
Score mean_over(std::span<const double> values, Index n);

}  // namespace dunlin::scores
