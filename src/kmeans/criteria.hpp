// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/kmeans.hpp>

#include "device/cpu.hpp"

namespace dunlin::kmeans {

/// Log likelihood of the rows under a mixture of one spherical Gaussian per cluster, weighted by the shares of rows,
/// with the common variance inertia / (cols (n - K)) (Pelleg and Moore 2000, section 3). counts: rows of each cluster.
/// NaN if the variance is undefined (K = n) or 0.
double log_likelihood(const std::vector<Offset>& counts, Index cols, double inertia);

/// Number of free parameters: K - 1 shares, K means, one variance.
double parameters(Index clusters, Index cols);

/// Bayesian and Akaike information criterion; smaller is better.
double bic(const std::vector<Offset>& counts, Index cols, double inertia);
double aic(const std::vector<Offset>& counts, Index cols, double inertia);

/// Silhouette of a row in cluster `own`. sums: sum of its distances to the rows of each cluster; sizes: their numbers.
double silhouette_of(const std::vector<double>& sums, const std::vector<Offset>& sizes, std::size_t own);

/// Mean silhouette of a sample of rows, within the sample; a row alone in its cluster there counts 0.
double silhouette(MatrixView<const float> points, const std::vector<Index>& labels, Index clusters, Metric metric,
                  const Run& run);

/// The rows of that sample: a random one from each of equal parts of all rows.
std::vector<Offset> silhouette_rows(Offset rows, std::uint64_t seed);
/// Mean silhouette of a given sample. labels: one per row of the sample.
double silhouette(device::Cpu& cpu, MatrixView<const float> sample, const std::vector<Index>& labels, Index clusters);

/// Whether `value` is better; NaN is worse than any number.
bool is_better(Criterion criterion, double value, double than);

}  // namespace dunlin::kmeans
