// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration in plain loops on one thread, distances and sums in double, row by row: the reference for the
/// tests and the baseline of benchmarks.
class Sequential {
public:
    /// Holds `rows` by reference. centroids: clusters x cols.
    Sequential(const Rows& rows, std::vector<float> centroids);

    Pass assign(bool with_inertia);
    void fill_empty();
    double move();

    [[nodiscard]] double inertia() const;
    [[nodiscard]] std::vector<Index> take_labels() { return std::move(labels_); }
    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_; }
    [[nodiscard]] const LloydHistory& history() const { return history_; }
    void recall(const LloydMemory& memory);

private:
    [[nodiscard]] const float* row(Offset r) const { return values_ + r * cols_; }
    [[nodiscard]] const float* centroid(Index k) const { return centroids_.data() + Offset{k} * cols_; }
    [[nodiscard]] double distance(Offset r) const;
    void update_weights();

    const Rows& rows_;
    Index cols_, clusters_;
    std::vector<float> unit_;  ///< for cosine: the rows scaled to length 1
    const float* values_;
    std::vector<float> centroids_;
    std::vector<Index> labels_;
    std::vector<double> weights_;  ///< of each cluster
    LloydHistory history_;
};

}  // namespace dunlin::kmeans
