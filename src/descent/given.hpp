// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include <dunlin/descent.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/run.hpp>

/// Checks of points and of given results of stages, common to the methods that descend.
namespace dunlin::descent {

/// Throws Error{bad_input} if `what` has not `points` points.
void require_size(Index size, Index points, std::string_view what);

/// Throws Error{bad_input} if labels are given to a method that does not read them.
void refuse_labels(const Given& given, const char* method);

/// Throws Error{bad_input} for affinities, weights of points and anchors, which are t-SNE's.
void refuse_affinities(const Given& given, const char* method);

/// Throws Error{bad_input} for points without rows or columns, of which only the size is read; a metric that is no
/// distance; a given graph or start of another size; a graph whose weights are no distances; a recall beside a given
/// graph.
void check_points(MatrixView<const float> points, neighbors::Metric metric, std::optional<double> recall,
                  const Given& given, const Run& run, const char* method);

}  // namespace dunlin::descent
