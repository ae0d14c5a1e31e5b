// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "scores/evaluated_rows.hpp"

/// Scores of points from ranks that are known.
namespace dunlin::scores {

constexpr Index largest_k_of_trustworthiness(Index n) { return (n - 1) / 2; }

/// ranks: of a row's k nearest on one side, on the other side. Trustworthiness, or continuity.
Score trustworthiness_of(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k);

/// ranks: in the data, of the nearest in the map.
Score preservation_of(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> ranks, Index k);

/// nearest: as many nearest in the data of each evaluated row as in the map.
Score preservation_by(device::Cpu& cpu, const EvaluatedRows& evaluated, std::span<const Index> nearest, Index k);

/// All points have labels.
Score label_accuracy_of(device::Cpu& cpu, const EvaluatedRows& evaluated, const Labels& labels, Index k);

/// Label accuracy over the points that have labels. NaN if fewer than k + 1 points have one.
Score label_accuracy_of(ScoreEngine& engine, const Map& map, const Labels& labels, Index k, const Options& options,
                        const Run& run);

Score density_correlation_of(const CoRanking& ranking);

}  // namespace dunlin::scores
