// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/pacmap.hpp>

#include "descent/given.hpp"
#include "descent/stages.hpp"
#include "descent/start_scale.hpp"

namespace dunlin::pacmap {

constexpr const char* method_name(const Options&) { return "PaCMAP"; }

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// Throws Error{bad_input} for labels and what is given for t-SNE.
inline void check_given(const Options& options, const Given& given, Index) {
    descent::refuse_labels(given, method_name(options));
    descent::refuse_affinities(given, method_name(options));
    descent::refuse_dissimilarities(given, method_name(options));
}

/// Sets k, mid_near and pca for n points of `cols` columns with at most `most_neighbors` neighbors each.
Options resolve_neighbors(Options options, Index n, Index cols, Index most_neighbors);

/// Sets the repulsion and every other option that the descent of n points on this device reads; options that are not
/// read are reset to their defaults.
Options resolve_descent(Options options, Index n, Device where);

/// k of the given neighbors are chosen, by scaled distances.
inline descent::ListRule list_rule(const Options& options) { return {.asked = options.k, .cuts = false}; }

/// k of the given neighbors are chosen.
inline void take_degree(Options&, Index) {}

/// Options of the stages before the descent; `options` are resolved.
descent::StagePlan stage_plan(const Options& options);

/// How a given start is scaled; `options` are resolved.
descent::StartRule start_rule(const Options& options, Index n);
/// Whether there are iterations.
bool is_moving(const Options& options);

}  // namespace dunlin::pacmap
