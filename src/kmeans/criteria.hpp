// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/kmeans.hpp>

namespace dunlin::kmeans {

/// log likelihood of rows under one spherical Gaussian a cluster, mixed by their shares: variance inertia / (cols (n -
/// K)) (Pelleg and Moore 2000, section 3). counts: rows of each cluster. NaN where that is no variance: K = n, or 0.
double log_likelihood(const std::vector<Offset>& counts, Index cols, double inertia);

/// Free parameters: K - 1 shares, K means, a variance.
double parameters(Index clusters, Index cols);

/// Smaller is better.
double bic(const std::vector<Offset>& counts, Index cols, double inertia);
double aic(const std::vector<Offset>& counts, Index cols, double inertia);

/// Mean silhouette of a sample of rows, within the sample; 0 for a row that is alone in its cluster there.
double silhouette(MatrixView<const float> points, const std::vector<Index>& labels, Index clusters, Metric metric,
                  const Run& run);

}  // namespace dunlin::kmeans
