// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/score_task.cuh"

namespace dunlin::kmeans {

/// Scores by mma.sync, on all GPUs, rows of any width. Scores all rows, or (collects) lists the candidates that reach
/// the thresholds of undecided rows.
void score_by_warps(device::Cuda& cuda, const ScoreTask& task, bool collects);

}  // namespace dunlin::kmeans
