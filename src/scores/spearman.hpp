// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"

namespace dunlin::scores {

/// Spearman's correlation of the distances of all pairs of some points in the data and in a map.
class DistanceCorrelation {
public:
    /// Of all points, or of a random sample if there are more than `most`. Requires n >= 3.
    DistanceCorrelation(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, Index most,
                        std::uint64_t seed);

    /// NaN if all distances are equal in the data or in the map.
    [[nodiscard]] Score of(const Map& map) const;

private:
    Index n_;
    std::vector<Index> rows_;
    std::vector<double> data_;  ///< values of the pairs (i, j < i), row by row
};

/// Spearman's correlation of x and y, the values of the pairs (i, j < i) of m sampled items of n, row by row. Equal
/// values have the mean of their ranks. The standard error is that of a U-statistic of order 2 (Hoeffding 1948): the
/// spread of the items' mean influences, of which half is the pair's own product of ranks and half its effect on the
/// ranks of all other pairs. 0 if m = n. NaN if all of x or all of y are equal.
Score spearman_of_pairs(std::span<const double> x, std::span<const double> y, Index m, Index n);

}  // namespace dunlin::scores
