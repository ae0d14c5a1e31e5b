// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mixture/component.hpp"

/// The floor of the variances: what is added to the variance of each column, so that no component is infinitely narrow.
namespace dunlin::mixture {

/// The rows, in order, whose cells measure the columns: all, or of many a sample that their number alone determines, so
/// that any division of the rows among processes has the same.
std::vector<Offset> rows_to_measure(Offset rows);

/// Variance of a column without its wild cells, those farther from the middle of its quartiles than 16 times half their
/// distance: 10.8 standard deviations of a normal column. Where the quartiles are equal, the eighths are used, and so
/// on to the extremes; 0 for a constant column. Scaling the column scales its root as much.
double tame_variance(std::vector<float> cells);

/// The floor of each column; cells: of rows_to_measure(), row by row.
Vector floors_of(const std::vector<float>& cells, Index cols, const Options& options);

/// For each column, in how many components the floor makes a tenth or more of the variance; full and tied: of the
/// variance that the columns before it leave. That changes the log likelihood of a row by 0.05 nats or more.
std::vector<Index> floored_columns(const std::vector<Component>& components, const Vector& floors,
                                   Covariance covariance);

}  // namespace dunlin::mixture
