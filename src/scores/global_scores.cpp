// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/choose.hpp"
#include "scores/rank_scores.hpp"
#include "scores/sampling_rules.hpp"
#include "scores/spearman.hpp"
#include "scores/triplets.hpp"

namespace dunlin::scores {

namespace {

/// Sums of the rows of each class, by columns, so that they do not depend on the number of threads.
std::vector<double> means_of(device::Cpu& cpu, MatrixView<const float> rows, std::span<const Index> place_of,
                             const Labels& labels, Index classes) {
    const Index cols = rows.cols;
    std::vector<double> means(at(classes) * at(cols), 0.0), counts(at(classes), 0.0);
    for (const Index label : labels.of) counts[at(place_of[at(label)])] += 1;
    cpu.blocks(cols, 32, [&](Offset begin, Offset end, int) {
        for (Index i = 0; i < rows.rows; ++i) {
            const float* row = rows.row(i).data();
            double* mean = means.data() + Offset{place_of[at(labels.of[at(i)])]} * cols;
            for (Offset c = begin; c < end; ++c) mean[c] += static_cast<double>(row[c]);
        }
        for (std::size_t k = 0; k < at(classes); ++k)
            for (Offset c = begin; c < end; ++c) means[k * at(cols) + at(c)] /= counts[k];
    });
    return means;
}

/// Rounded to float32 after the mean of the classes is subtracted, so that an offset of the data loses no digits.
std::vector<float> centered(std::vector<double> means, Index classes, Index cols) {
    for (std::size_t c = 0; c < at(cols); ++c) {
        double middle = 0;
        for (std::size_t k = 0; k < at(classes); ++k) middle += means[k * at(cols) + c] / classes;
        for (std::size_t k = 0; k < at(classes); ++k) means[k * at(cols) + c] -= middle;
    }
    return {means.begin(), means.end()};
}

}  // namespace

Index classes_with_points(const Labels& labels) {
    std::vector<Index> seen = labels.of;
    std::sort(seen.begin(), seen.end());
    return static_cast<Index>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

Centroids centroids_of(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, const Map& map,
                       const Labels& labels) {
    const Index codes = labels.of.empty() ? 0 : *std::max_element(labels.of.begin(), labels.of.end()) + 1;
    std::vector<Index> place_of(at(codes), -1);
    for (const Index label : labels.of) place_of[at(label)] = 0;
    Index classes = 0;
    for (Index& place : place_of)
        if (place == 0) place = classes++;
    std::vector<double> means = means_of(cpu, points, place_of, labels, classes);
    const bool shifts = metric == neighbors::Metric::euclidean || metric == neighbors::Metric::manhattan;
    std::vector<float> values =
        shifts ? centered(std::move(means), classes, points.cols) : std::vector<float>(means.begin(), means.end());
    return {Matrix(classes, points.cols, std::move(values)),
            Map{map.dim, centered(means_of(cpu, map.view(), place_of, labels, classes), classes, map.dim)}};
}

Score distance_correlation(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("distance_correlation", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("distance_correlation", cpu, points, map);
    check_count("distance_correlation", "points", map.size(), 3);
    return DistanceCorrelation(cpu, points, options.metric, points_of_pairs(options.extent), run.seed).of(map);
}

Score triplets(MatrixView<const float> points, const Map& map, const Options& options, const Run& run) {
    check("triplets", map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("triplets", cpu, points, map);
    check_count("triplets", "points", map.size(), 3);
    PairDistances distances(cpu, points, options.metric);
    return Triplets(distances, run.seed).of(map);
}

Score centroid_neighbors(MatrixView<const float> points, const Map& map, const Labels& labels, const Options& options,
                         const Run& run) {
    check("centroid_neighbors", map, options);
    check_sizes("centroid_neighbors", "labels", std::ssize(labels.of), map);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("centroid_neighbors", cpu, points, map);
    check_count("centroid_neighbors", "classes", classes_with_points(labels), nearest_centroids + 2);
    const Centroids centroids = centroids_of(cpu, points, options.metric, map, labels);
    return preservation(centroids.points.view(), centroids.map, nearest_centroids, options, run);
}

Score centroid_correlation(MatrixView<const float> points, const Map& map, const Labels& labels, const Options& options,
                           const Run& run) {
    check("centroid_correlation", map, options);
    check_sizes("centroid_correlation", "labels", std::ssize(labels.of), map);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    check_points("centroid_correlation", cpu, points, map);
    check_count("centroid_correlation", "classes", classes_with_points(labels), 3);
    const Centroids centroids = centroids_of(cpu, points, options.metric, map, labels);
    return distance_correlation(centroids.points.view(), centroids.map, options, run);
}

}  // namespace dunlin::scores
