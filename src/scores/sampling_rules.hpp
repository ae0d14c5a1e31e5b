// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include <dunlin/scores.hpp>

/// How many rows, sources, vertices and edges a sampled score uses: the table of docs/scores.md and
/// docs/graph-scores.md. Sizes follow from n and the number of edges alone. They keep standard errors below 0.003 where
/// a row's values have standard deviations below 0.09 (trustworthiness), 0.27 (preservation, min_angle) and 0.42
/// (neighborhood_preservation: of leaves it is 0 or 1).
namespace dunlin::scores {

/// Every item up to `exact`, else `sample` of them.
struct SamplingRule {
    Index exact, sample;
};

constexpr Index all_ranks_up_to = 1000;  ///< rows: 1,000 x n x d differences are at most a share of any neighbor search

constexpr SamplingRule trustworthiness_rows(Index /*n*/) { return {all_ranks_up_to, 1000}; }

/// m of n rows with 1 / m = 1 / n + 1 / most: with the correction for a finite n, their mean errs as that of `most`.
constexpr Index as_accurate_as(Offset most, Index n) { return static_cast<Index>(most * n / (most + n)); }

constexpr SamplingRule preservation_rows(Index n) { return {all_ranks_up_to, as_accurate_as(8100, n)}; }

constexpr SamplingRule label_rows(Index /*n*/) { return {30000, 30000}; }

/// Breadth-first searches: their error falls as 1 / sources (pair_means.hpp), whatever n is.
constexpr SamplingRule stress_sources(Index n, Offset edges) {
    constexpr Offset steps = Offset{1} << 28;
    return {500, static_cast<Index>(std::clamp<Offset>(steps / std::max<Offset>(n + edges, 1), 128, 256))};
}

constexpr SamplingRule angle_vertices(Index n) { return preservation_rows(n); }

constexpr Index most_neighborhoods = 20000;  ///< beyond the exact ones where sizes are given
constexpr SamplingRule neighborhood_vertices(Index n) { return {all_ranks_up_to, as_accurate_as(most_neighborhoods, n)}; }
constexpr Index crossing_edges = 3000;

/// Rows of dissimilarities.
constexpr SamplingRule stress_rows(Index /*n*/) { return {2000, 500}; }

/// The size to use: all items of a full score, else the sizes given or those of the table.
constexpr SamplingRule rule_of(Extent extent, Index n, SamplingRule table, std::optional<Index> exact, std::optional<Index> sample) {
    if (extent == Extent::full) return {n, n};
    return {exact.value_or(sample ? 0 : table.exact), sample.value_or(table.sample)};
}

}  // namespace dunlin::scores
