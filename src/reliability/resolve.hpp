// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/reliability.hpp>

namespace dunlin::reliability {

/// Most neighbors of a list without perplexity (method umap), unless options.ranks asks for more.
constexpr Index default_ranks = 90;

/// Checks options, sizes and values. Throws Error{bad_input}.
void check(const Map& map, MatrixView<const float> points, const Options& options, const Run& run, const Given& given);

/// Sets perplexity, k and ranks for n points with at most `most_neighbors` neighbors each; `given`: the lists are
/// given. Throws Error{bad_input} naming the largest legal value.
Options resolve(Options options, Index n, Index most_neighbors, bool given);

/// Neighbors of a point that the affinities use.
Index neighbors_of_affinities(const Options& options);

}  // namespace dunlin::reliability
