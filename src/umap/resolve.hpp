// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "descent/given.hpp"
#include "descent/stages.hpp"
#include "descent/start_scale.hpp"

namespace dunlin::umap {

constexpr const char* method_name(const Options&) { return "UMAP"; }

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// Throws Error{bad_input} unless labels are given exactly if the options need them, one for each of n points.
void check_given(const Options& options, const Given& given, Index n);

/// Sets k and pca for n points of `cols` columns with at most `most_neighbors` neighbors each.
Options resolve_neighbors(Options options, Index n, Index cols, Index most_neighbors);

/// Sets a and b, the repulsion and every other option that the descent of n points on this device reads; options that
/// are not read are reset to their defaults.
Options resolve_descent(Options options, Index n, Device where);

/// k of given neighbors are read, the point itself counted.
inline descent::ListRule list_rule(const Options& options) {
    if (!options.k) return {};
    return {.asked = *options.k - 1, .counts_itself = true};
}

/// The number of neighbors follows a given graph.
inline void take_degree(Options& options, Index degree) { options.k = degree + 1; }

/// Options of the stages before the memberships; `options` are resolved.
descent::StagePlan stage_plan(const Options& options);

/// How a given start is scaled; `options` are resolved.
descent::StartRule start_rule(const Options& options, Index n);
/// Whether there are iterations.
inline bool is_moving(const Options& options) { return options.iterations > 0; }

}  // namespace dunlin::umap
