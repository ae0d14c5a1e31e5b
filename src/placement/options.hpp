// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

#include "descent/given.hpp"

namespace dunlin::placement {

/// Throws the errors of Placer's constructor, except those of the points' values.
void check_place(MatrixView<const float> points, const Map& map, const Options& options, const Run& run,
                 const Given& given);

/// Throws for options out of range, a map of more than 3 dimensions or without points, or a row that is not finite.
void check_map(const Map& map, const Options& options);

/// Throws Error{bad_input} for a start of another size, or that is not finite.
void check_start(const Map& start, Index queries, int dim);

/// How given lists of neighbors are read.
descent::ListRule list_rule(const Options& options);

/// The options with their defaults: from the state if there is one, else by the number of points and the length of
/// given lists.
Options resolve_place(const Options& options, MatrixView<const float> points, const Given& given);
/// Resolves only the options that are read where the edges are given.
Options resolve_law(const Options& options);

/// The options of UMAP among these.
umap::Options umap_options_of(const Options& options);

/// Largest distance between nodes of the grid by default.
float default_spacing(const Options& options, int dim);

}  // namespace dunlin::placement
