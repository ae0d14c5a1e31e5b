// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/tsne.hpp>

#include "descent/given.hpp"
#include "descent/stages.hpp"
#include "descent/start_scale.hpp"

namespace dunlin::tsne {

constexpr const char* method_name(const Options&) { return "t-SNE"; }

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// Throws Error{bad_input} for labels, for options of affinities beside given ones, for weights of points and anchors
/// that do not fit.
void check_given(const Options& options, const Given& given, Index n);

/// The numbers of options.perplexities for n points, those of n/100 included; at least one. Throws Error{bad_input}.
std::vector<float> perplexities_of(const std::string& list, Index n);
/// As options.perplexities has them.
std::string listed(const std::vector<float>& perplexities);

/// Sets perplexity, k and pca where they have no value, for n points of `cols` columns with at most `most_neighbors`
/// neighbors each. Throws Error{bad_input} naming the largest legal value.
Options resolve_neighbors(Options options, Index n, Index cols, Index most_neighbors);

/// Lists of more entries have affinities in half precision: in single precision they take 120 GB, of a GPU of 141.
constexpr Offset most_in_single = 3'000'000'000;

/// Sets the learning rates, the repulsion and every other option that the descent of n points on this device reads;
/// options that are not read are reset to their defaults.
Options resolve_descent(Options options, Index n, Device where);

/// k of given neighbors are read.
inline descent::ListRule list_rule(const Options& options) { return {.asked = options.k}; }

/// The number of neighbors follows a given graph, whose affinities are in single precision.
inline void take_degree(Options& options, Index degree) {
    options.k = degree;
    options.affinity_precision = Precision::single;
}

/// The options of stages other than those that search for neighbors on the GPU. Throws Error{bad_input} for half.
Options in_single_precision(Options options);

/// Options of the stages before the affinities; `options` are resolved.
descent::StagePlan stage_plan(const Options& options);

/// How a given start is scaled; `options` are resolved.
descent::StartRule start_rule(const Options& options, Index n);
/// Whether there are iterations.
inline bool is_moving(const Options& options) { return options.iterations > 0; }

}  // namespace dunlin::tsne
