// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/kmeans.hpp>

/// Checks of what every form of k-means is given.
namespace dunlin::kmeans {

/// Throws Error{bad_input} unless there is at least one row and one column.
void check_points(Offset rows, Index cols);

/// Options with every default resolved.
Options resolve(Offset rows, Index cols, Options options, const Given& given);

/// Copy of the given centroids, checked, and scaled to length 1 for cosine.
std::vector<float> checked_centroids(MatrixView<const float> given, Metric metric);

}  // namespace dunlin::kmeans
