// SPDX-License-Identifier: Apache-2.0
#include "scores/centroids.hpp"

#include <utility>

#include "math/at.hpp"
#include "scores/sampled_pairs.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

/// Rounded to float32 after the first class is subtracted, so that an offset of the data loses no digits, and equal
/// distances of integers stay equal.
std::vector<float> from_the_first(std::vector<double> centers, Index classes, Index cols) {
    for (std::size_t k = at(classes); k-- > 0;) {
        for (std::size_t c = 0; c < at(cols); ++c) centers[k * at(cols) + c] -= centers[c];
    }
    return {centers.begin(), centers.end()};
}

/// Classes are few.
Run on_cpu(const Run& run) {
    return {.device = Device::cpu, .threads = run.threads, .seed = run.seed, .memory = run.memory};
}

}  // namespace

Centroids centroids_of(ScoreEngine& engine, Index cols, neighbors::Metric metric, const Map& map,
                       const ClassRows& classes, Center center) {
    const Index count = classes.count();
    std::vector<double> of_points = engine.centers_of_points(classes, center);
    const bool shifts = metric == neighbors::Metric::euclidean || metric == neighbors::Metric::manhattan;
    std::vector<float> values = shifts ? from_the_first(std::move(of_points), count, cols)
                                       : std::vector<float>(of_points.begin(), of_points.end());
    return {Matrix(count, cols, std::move(values)),
            Map{map.dim, from_the_first(engine.centers(map, classes, center), count, map.dim)}};
}

Score centroid_neighbors_of(const Centroids& means, const Options& options, const Run& run) {
    return preservation(means.points.view(), means.map, nearest_centroids, options, on_cpu(run));
}

Score centroid_correlation_of(const Centroids& means, const Options& options, const Run& run) {
    return distance_correlation(means.points.view(), means.map, options, on_cpu(run));
}

Score centroid_triplets_of(const Centroids& medians, const Options& options, const Run& run) {
    const auto engine = engine_on_cpu(medians.points.view(), options.metric, on_cpu(run));
    const Index classes = medians.map.size();
    return SampledPairs(*engine, classes, options.extent == Extent::full ? classes : ordered_centroids, run.seed)
        .order(medians.map);
}

}  // namespace dunlin::scores
