// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>

#include "scores/class_rows.hpp"
#include "scores/score_engine.hpp"

namespace dunlin::scores {

/// Means or medians of the classes, in the data and in the map: a map of points.
struct Centroids {
    Matrix points;
    Map map;
};
Centroids centroids_of(ScoreEngine& engine, Index cols, neighbors::Metric metric, const Map& map,
                       const ClassRows& classes, Center center);

/// Scores of the centroids as a map of points, on the CPU: preservation, distance_correlation, and the order of
/// distances (sampled_pairs.hpp).
Score centroid_neighbors_of(const Centroids& means, const Options& options, const Run& run);
Score centroid_correlation_of(const Centroids& means, const Options& options, const Run& run);
Score centroid_triplets_of(const Centroids& medians, const Options& options, const Run& run);

constexpr Index nearest_centroids = 4;

}  // namespace dunlin::scores
