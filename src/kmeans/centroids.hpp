// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/sums.hpp"

namespace dunlin::kmeans {

/// Centroids to the means of their clusters (scaled to length 1 for cosine); a cluster without weight keeps its place.
Movement move_to_means(std::vector<float>& centroids, const ClusterSums& sums, const Rows& rows, const Scales& scales);

/// Gives every cluster without weight the row that is farthest from its centroid among those whose cluster keeps some
/// weight and that are not at their centroid; ties to the lower row. Returns whether a row changed its cluster.
bool fill_empty_clusters(device::Cpu& cpu, const Rows& rows, const Scales& scales, const std::vector<float>& centroids,
                         std::vector<Index>& labels, ClusterSums& sums);

}  // namespace dunlin::kmeans
