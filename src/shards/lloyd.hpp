// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {

/// The centroids of an iteration and what a chunk needs to have the labels of the one before.
struct ShardedCentroids {
    std::vector<float> previous;       ///< of the last assignment; empty: none
    std::vector<FilledCluster> fills;  ///< rows moved to empty clusters since
    std::vector<float> present;
    Index iteration = 0;
};

/// Lloyd's iteration over shards: a backend of lloyd.hpp. The driver moves the centroids, the chunks have the labels.
class ShardedLloyd {
public:
    /// Holds the rounds and scales by reference. completed: see lloyd.hpp.
    ShardedLloyd(ShardRounds& rounds, const Scales& scales, Metric metric, ShardedCentroids centroids,
                 std::function<void(const ShardedCentroids&, const LloydStatus&)> completed);

    Pass assign(bool with_inertia);
    void fill_empty();
    double move();
    void completed(const LloydStatus& status) const { completed_(centroids_, status); }

    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_.present; }

private:
    ShardRounds& rounds_;
    const Scales& scales_;
    Rows shape_;  ///< columns and metric
    Index clusters_;
    ShardedCentroids centroids_;
    ClusterSums sums_;
    std::function<void(const ShardedCentroids&, const LloydStatus&)> completed_;
};

}  // namespace dunlin::kmeans
