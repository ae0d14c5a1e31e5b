// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

#include "kmeans/lloyd_memory.hpp"
#include "kmeans/sums.hpp"

namespace dunlin::kmeans {

/// Moves centroids to the means of their clusters (scaled to length 1 for cosine); that of an empty one stays.
Movement move_to_means(std::vector<float>& centroids, const ClusterSums& sums, const Rows& rows, const Scales& scales);

/// The movement from these centroids to those.
Movement movement_between(const std::vector<float>& from, const std::vector<float>& to, Index cols);

/// A row that may fill an empty cluster, and its squared distance to its centroid. `tie` decides between equally far
/// rows: a fixed linear function of the coordinates, so that neither the order of rows nor their unit does.
struct FarRow {
    double distance, tie, weight;
    Offset row, label;

    bool operator<(const FarRow& other) const {
        return std::tie(other.distance, other.tie, other.weight, row) < std::tie(distance, tie, weight, other.row);
    }
};

/// Sorts, farthest first, and keeps `count` rows.
void keep_farthest(std::vector<FarRow>& all, std::size_t count);

/// The clusters without weight.
std::vector<Index> empty_clusters(const std::vector<Sum>& weights);
/// Weights of the clusters.
std::vector<Sum> cluster_weights(const ClusterSums& sums, Index clusters);

/// Whether a cluster keeps some weight without a row of this weight.
inline bool may_leave(Sum cluster, double weight, const Scales& scales) {
    return cluster > to_integer(weight, scales.weights);
}

/// Rows that suffice to fill so many empty clusters: a row is skipped only if it became the last of its cluster because
/// another one was moved.
inline std::size_t rows_to_fill(std::size_t empty) { return 2 * empty; }

/// The `count` rows farthest from their centroids, farthest first, among rows that have weight and are not alone in
/// their cluster. weights: of the clusters.
std::vector<FarRow> farthest_rows(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                  const std::vector<float>& centroids, const std::vector<Index>& labels,
                                  const std::vector<Sum>& weights, std::size_t count);

/// Moves far rows to the empty clusters, one each, as long as their clusters keep some weight. move(i, to) moves row i
/// of `far` in the sums. Returns how many clusters were filled.
template <class Move>
std::size_t fill_from(const std::vector<FarRow>& far, const std::vector<Index>& empty, const ClusterSums& sums,
                      const Scales& scales, const Move& move) {
    std::size_t filled = 0;
    for (std::size_t i = 0; i < far.size() && filled < empty.size(); ++i) {
        if (!may_leave(sums.weight(static_cast<Index>(far[i].label)), far[i].weight, scales)) continue;
        move(i, empty[filled++]);
    }
    return filled;
}

/// Moves to every cluster without weight the row farthest from its centroid, among rows whose cluster keeps some weight
/// and that differ from their centroid. Returns the rows that changed their cluster.
std::vector<FilledCluster> fill_empty_clusters(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                               const std::vector<float>& centroids, std::vector<Index>& labels,
                                               ClusterSums& sums);

}  // namespace dunlin::kmeans
