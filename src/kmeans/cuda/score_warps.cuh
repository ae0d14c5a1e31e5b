// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/score_task.cuh"

namespace dunlin::kmeans {

/// Scores by what all GPUs have: products by warps, rows of any width. Scores all rows, or lists what reaches the
/// thresholds of the undecided.
void score_by_warps(device::Cuda& cuda, const ScoreTask& task, bool collects);

}  // namespace dunlin::kmeans
