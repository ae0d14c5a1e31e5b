// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/score_task.cuh"

namespace dunlin::kmeans {

/// Scores by wgmma and the bulk copy engine (device/tensor_map.cuh), for rows of at most this width, which stay in
/// shared memory while all centroids pass.
bool suits_hopper(Index width);

/// Scores all rows, or (collects) lists the candidates that reach the thresholds of undecided rows.
void score_on_hopper(device::Cuda& cuda, const ScoreTask& task, bool collects);

}  // namespace dunlin::kmeans
