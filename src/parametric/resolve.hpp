// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/parametric.hpp>

namespace dunlin::parametric {

/// Statistics of the points on which defaults of options depend.
struct PointStatistics {
    Index rows = 0, cols = 0;
    std::vector<double> means;  ///< per column
    double variance = 0;        ///< mean over the columns
    double least = 0, most = 0;
};

/// Checks the options and fills in those that are absent; throws Error{bad_input}.
Options resolve(const Options& wanted, const PointStatistics& points);

/// Widths of the input, of the hidden layers of resolved options, and of the output.
std::vector<Index> widths_of(const Options& options, Index cols);

/// Activation of the hidden layers.
Activation activation_of(const Options& options);

/// How rows become inputs of the network.
struct Scaling {
    std::vector<double> shift;  ///< per column
    double scale = 1;
};
/// For binary visible units the range becomes 0 to 1; else columns have the mean 0 and on average the variance 1. Both
/// keep the ratios of distances.
Scaling scaling_of(const Options& options, const PointStatistics& points);

/// Peak memory of the training in bytes, without the t-SNE map of pretrain map.
std::uint64_t bytes_of(const Options& options, Index rows, Index cols);

}  // namespace dunlin::parametric
