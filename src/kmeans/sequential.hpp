// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration in plain loops on one thread: distances and sums in double, one row after another. What the
/// others are measured against, and checked by.
class Sequential {
public:
    /// Holds `rows` by reference. centroids: clusters x cols.
    Sequential(const Rows& rows, std::vector<float> centroids);

    Pass assign(bool with_inertia);
    void fill_empty();
    double move();

    double inertia() const;
    /// The labels, which are not kept: there may be billions.
    [[nodiscard]] std::vector<Index> take_labels() { return std::move(labels_); }
    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_; }

private:
    [[nodiscard]] const float* row(Offset r) const { return values_ + r * cols_; }
    [[nodiscard]] const float* centroid(Index k) const { return centroids_.data() + Offset{k} * cols_; }
    [[nodiscard]] double distance(Offset r) const;
    void update_weights();

    const Rows& rows_;
    Index cols_, clusters_;
    std::vector<float> unit_;  ///< the rows at length 1, for cosine
    const float* values_;
    std::vector<float> centroids_;
    std::vector<Index> labels_;
    std::vector<double> weights_;  ///< of each cluster
};

}  // namespace dunlin::kmeans
