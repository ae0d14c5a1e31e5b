// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/tsne.hpp>

#include "descent/given.hpp"
#include "descent/stages.hpp"

namespace dunlin::tsne {

constexpr const char* method_name(const Options&) { return "t-SNE"; }

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// Throws Error{bad_input} for labels.
inline void check_given(const Options& options, const Given& given, Index) {
    descent::refuse_labels(given, method_name(options));
}

/// Sets perplexity, k and pca where they have no value, for n points of `cols` columns with at most `most_neighbors`
/// neighbors each. Throws Error{bad_input} naming the largest legal value.
Options resolve_neighbors(Options options, Index n, Index cols, Index most_neighbors);

/// Sets the learning rates, the repulsion and every other option that the descent of n points on this device reads;
/// options that are not read are reset to their defaults.
Options resolve_descent(Options options, Index n, Device where);

/// The number of neighbors follows a given graph.
inline void take_degree(Options& options, Index degree) { options.k = degree; }

/// Options of the stages before the affinities; `options` are resolved.
descent::StagePlan stage_plan(const Options& options);

}  // namespace dunlin::tsne
