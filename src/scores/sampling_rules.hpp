// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include <dunlin/scores.hpp>

/// Numbers of rows, sources, vertices and edges that sampled scores use: the table of docs/scores.md.
/// They depend only on n and the number of edges. Standard errors stay below 0.003 if the
/// standard deviation of a row's values is below 0.09 (trustworthiness), 0.27 (preservation, min_angle) or 0.42
/// (neighborhood_preservation, which is 0 or 1 for leaves).
namespace dunlin::scores {

/// All items up to `exact`, else a sample of `sample` items.
struct SamplingRule {
    Index exact, sample;
};

constexpr Index all_ranks_up_to = 1000;  ///< rows; 1,000 x n x d differences cost less than any neighbor search

constexpr SamplingRule trustworthiness_rows(Index /*n*/) { return {all_ranks_up_to, 1000}; }

/// Rows whose distances from all points are sorted, of `rows` that are ranked at all: `sorted` points in total, but at
/// least 100 rows.
constexpr Index sorted_rows(Index n, Index rows, Offset sorted) {
    return std::min(rows, static_cast<Index>(std::max<Offset>(100, sorted / std::max(n, 1))));
}
constexpr Offset sorted_points = Offset{1} << 25;            ///< by the table
constexpr Offset sorted_points_of_sample = Offset{1} << 28;  ///< with options.sample

/// Points whose pairs distance_correlation uses: 500,000 pairs, or 8 million.
constexpr Index points_of_pairs(Extent extent) { return extent == Extent::full ? 4000 : 1000; }

/// Classes of which centroid_triplets compares all pairs of distances: 200 million.
constexpr Index ordered_centroids = 200;

/// Sample size m with 1 / m = 1 / n + 1 / most: with the finite population correction, the mean of m of n rows is as
/// accurate as that of `most` rows of an infinite population.
constexpr Index as_accurate_as(Offset most, Index n) { return static_cast<Index>(most * n / (most + n)); }

constexpr SamplingRule preservation_rows(Index n) { return {all_ranks_up_to, as_accurate_as(8100, n)}; }

constexpr SamplingRule label_rows(Index /*n*/) { return {30000, 30000}; }

/// Breadth-first searches. The error falls as 1 / sources (pair_means.hpp), independent of n.
constexpr SamplingRule stress_sources(Index n, Offset edges) {
    constexpr Offset steps = Offset{1} << 28;
    return {500, static_cast<Index>(std::clamp<Offset>(steps / std::max<Offset>(n + edges, 1), 128, 256))};
}

constexpr SamplingRule angle_vertices(Index n) { return preservation_rows(n); }

constexpr Index max_neighborhoods = 20000;  ///< sample size beyond options.exact_neighborhoods
constexpr SamplingRule neighborhood_vertices(Index n) {
    return {all_ranks_up_to, as_accurate_as(max_neighborhoods, n)};
}
constexpr Index crossing_edges = 3000;

/// Rows of dissimilarities.
constexpr SamplingRule stress_rows(Index /*n*/) { return {2000, 500}; }

/// The rule in use: all items for Extent::full, else the given sizes or those of the table.
constexpr SamplingRule rule_of(Extent extent, Index n, SamplingRule table, std::optional<Index> exact,
                               std::optional<Index> sample) {
    if (extent == Extent::full) return {n, n};
    return {exact.value_or(sample ? 0 : table.exact), sample.value_or(table.sample)};
}

}  // namespace dunlin::scores
