// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/tsne.hpp>

namespace dunlin::tsne {

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// The options of the affinities of n points of `cols` columns, with at most `most_neighbors` each: perplexity, k and
/// pca get values. Throws Error{bad_input} naming the largest legal value.
Options resolve_affinities(Options options, Index n, Index cols, Index most_neighbors);

/// The options of the descent of n points there: learning rates and repulsion get values, then every other option that
/// is read; those that are not go back to what they are by default.
Options resolve_descent(Options options, Index n, Device where);

/// What is asked of the search for neighbors; `options` are resolved.
neighbors::Options search_options(const Options& options);

/// The engine of a GPU for n points, by a fixed rule: docs/performance.md has the measurements.
Repulsion quickest_on_gpu(Index n, int dim);

/// Up to so many points a CPU sums repulsion exactly.
constexpr Index most_for_exact(int dim) { return dim == 2 ? 1000 : 1500; }

}  // namespace dunlin::tsne
