// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include <dunlin/descent.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/run.hpp>

#include "device/cpu.hpp"

/// Checks of points and of given results of stages, common to the methods that descend.
namespace dunlin::descent {

/// Throws Error{bad_input} if `what` has not `points` points.
void require_size(Index size, Index points, std::string_view what);

/// Throws Error{bad_input} unless the start has a place for each point, as forces::require_places.
void check_start(const Map& start, Index points);

/// Throws Error{bad_input} if labels are given to a method that does not read them.
void refuse_labels(const Given& given, const char* method);

/// Throws Error{bad_input} for affinities, weights of points and anchors, which are t-SNE's.
void refuse_affinities(const Given& given, const char* method);

/// Throws Error{bad_input} for dissimilarities given to a method that compares points beyond their neighbors.
void refuse_dissimilarities(const Given& given, const char* method);

/// Throws Error{bad_input} for points without rows or columns, a metric that is not a distance, a given graph or start
/// of another size (check_start), a graph whose weights are not distances, and a recall beside a given graph. Reads
/// only the size of `points`.
void check_points(MatrixView<const float> points, neighbors::Metric metric, std::optional<double> recall,
                  const Given& given, const Run& run, const char* method);

/// How a method reads given lists of neighbors.
struct ListRule {
    std::optional<Index> asked;  ///< neighbors per point by the option k. nullopt: all given neighbors
    bool counts_itself = false;  ///< k is one more than `asked`, for the point itself
    bool cuts = true;            ///< false: the method chooses among longer lists by itself
};

/// Throws Error{bad_input} unless every list has at least rule.asked neighbors or all other points.
void require_listed(const Graph& neighbors, const ListRule& rule);

/// The nearest rule.asked of the given neighbors of each point. Has no rows if the lists are to be read unchanged.
/// Throws as require_listed.
Graph nearest_given(device::Cpu& cpu, const Graph& neighbors, const ListRule& rule);

}  // namespace dunlin::descent
