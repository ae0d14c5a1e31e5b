// SPDX-License-Identifier: Apache-2.0
#include "scores/centroids.hpp"
#include "scores/evaluated_rows.hpp"
#include "scores/rank_scores.hpp"
#include "scores/sampled_pairs.hpp"
#include "scores/sampling_rules.hpp"
#include "scores/triplets.hpp"

namespace dunlin::scores {

namespace {

/// Checks all inputs of a score of centroids, of at least `least` classes, and finds these.
Centroids checked_centroids(const char* score, MatrixView<const float> points, const Map& map, const Labels& labels,
                            Center center, Index least, const Options& options, const Run& run) {
    check(score, map, options);
    check_sizes(score, "labels", std::ssize(labels.of), map);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points(score, *engine, points, map);
    const ClassRows classes(labels);
    check_count(score, "classes", classes.count(), least);
    return centroids_of(*engine, points.cols, options.metric, map, classes, center);
}

}  // namespace

Score distance_correlation(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("distance_correlation", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("distance_correlation", *engine, points, map);
    check_count("distance_correlation", "points", map.size(), 3);
    const SampledPairs pairs(*engine, map.size(), points_of_pairs(options.extent), run.seed);
    return pairs.correlations({&map, 1}).front();
}

Score triplets(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("triplets", map, options);
    const auto engine = make_engine(points, map.size(), options.metric, run);
    check_points("triplets", *engine, points, map);
    check_count("triplets", "points", map.size(), 3);
    return Triplets(*engine, map.size(), run.seed).of(map);
}

Score centroid_neighbors(MatrixView<const float> points, const Map& map, const Labels& labels, const Options& options,
                         const Run& run) {
    const Centroids means =
        checked_centroids("centroid_neighbors", points, map, labels, Center::mean, nearest_centroids + 2, options, run);
    return centroid_neighbors_of(means, options, run);
}

Score centroid_correlation(MatrixView<const float> points, const Map& map, const Labels& labels, const Options& options,
                           const Run& run) {
    const Centroids means =
        checked_centroids("centroid_correlation", points, map, labels, Center::mean, 3, options, run);
    return centroid_correlation_of(means, options, run);
}

Score centroid_triplets(MatrixView<const float> points, const Map& map, const Labels& labels, const Options& options,
                        const Run& run) {
    const Centroids medians =
        checked_centroids("centroid_triplets", points, map, labels, Center::median, 3, options, run);
    return centroid_triplets_of(medians, options, run);
}

}  // namespace dunlin::scores
