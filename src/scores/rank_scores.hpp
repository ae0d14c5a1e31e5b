// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "scores/co_rank.hpp"
#include "scores/evaluated_rows.hpp"

/// Scores of points from ranks that are known.
namespace dunlin::scores {

constexpr Index largest_k_of_trustworthiness(Index n) { return (n - 1) / 2; }

/// ranks: of a row's k nearest on one side, on the other side. Trustworthiness, or continuity.
Score trustworthiness_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k);

/// ranks: in the data, of the nearest in the map.
Score preservation_of(const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k);

/// nearest: at least k nearest in the data of each evaluated row.
Score preservation_by(const EvaluatedRows& evaluated, const Graph& nearest, Index k);

Score label_accuracy_of(const EvaluatedRows& evaluated, const Labels& labels, Index k);

Score density_correlation_of(const CoRanking& ranking);

/// Means of the classes that have points, in the data and in the map: a map of points.
struct Centroids {
    Matrix points;
    Map map;
};
Index classes_with_points(const Labels& labels);
Centroids centroids_of(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, const Map& map,
                       const Labels& labels);

constexpr Index nearest_centroids = 4;

}  // namespace dunlin::scores
