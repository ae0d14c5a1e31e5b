// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/formulas.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Sums of the weighted coordinates and of the weights of each cluster's rows, as integers.
class ClusterSums {
public:
    ClusterSums(Index clusters, Index cols)
        : cols_(cols), values_(static_cast<std::size_t>(clusters) * static_cast<std::size_t>(cols + 1)) {}

    /// Adds (sign 1) or subtracts (-1) a row of this weight.
    void add(Index cluster, const float* x, double weight, const Scales& scales, Sum sign) {
        Sum* at = of(cluster);
        for (Index c = 0; c < cols_; ++c) {
            at[c] += sign * to_integer(weight * static_cast<double>(x[c]), scales.columns[static_cast<std::size_t>(c)]);
        }
        at[cols_] += sign * to_integer(weight, scales.weights);
    }
    /// Moves a row from one cluster (-1: none) to another.
    void move(Index from, Index to, const float* x, double weight, const Scales& scales) {
        if (from < 0) return add(to, x, weight, scales, 1);
        Sum *less = of(from), *more = of(to);
        const double* scale = scales.columns.data();
        for (Index c = 0; c < cols_; ++c) {
            const Sum moved = to_integer(weight * static_cast<double>(x[c]), scale[c]);
            less[c] -= moved;
            more[c] += moved;
        }
        const Sum moved = to_integer(weight, scales.weights);
        less[cols_] -= moved;
        more[cols_] += moved;
    }
    void add(const ClusterSums& other) {
        for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
    }
    void clear() { values_.assign(values_.size(), 0); }

    /// The sums of a cluster: `cols` sums of coordinates, then the sum of weights.
    [[nodiscard]] Sum* of(Index cluster) { return values_.data() + Offset{cluster} * (cols_ + 1); }
    [[nodiscard]] const Sum* of(Index cluster) const { return values_.data() + Offset{cluster} * (cols_ + 1); }
    [[nodiscard]] Sum weight(Index cluster) const { return of(cluster)[cols_]; }
    [[nodiscard]] std::vector<Sum>& values() { return values_; }

private:
    Index cols_;
    std::vector<Sum> values_;
};

}  // namespace dunlin::kmeans
