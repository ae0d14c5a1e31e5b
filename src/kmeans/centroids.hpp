// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/sums.hpp"

namespace dunlin::kmeans {

/// Moves centroids to the means of their clusters (scaled to length 1 for cosine); that of an empty one stays.
Movement move_to_means(std::vector<float>& centroids, const ClusterSums& sums, const Rows& rows, const Scales& scales);

/// Moves to every cluster without weight the row farthest from its centroid, among rows whose cluster keeps some weight
/// and that differ from their centroid; ties to the lower row. Returns whether a row changed its cluster.
bool fill_empty_clusters(device::Cpu& cpu, const Rows& rows, const Scales& scales, const std::vector<float>& centroids,
                         std::vector<Index>& labels, ClusterSums& sums);

}  // namespace dunlin::kmeans
