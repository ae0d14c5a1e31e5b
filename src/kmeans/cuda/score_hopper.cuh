// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/score_task.cuh"

namespace dunlin::kmeans {

/// Scores by what only compute capability 9.0 has (device/tensor_map.cuh): products by warpgroups, fed by the bulk copy
/// engine. For rows that stay in shared memory while all centroids pass.
bool suits_hopper(Index width);

/// Scores all rows, or lists what reaches the thresholds of the undecided.
void score_on_hopper(device::Cuda& cuda, const ScoreTask& task, bool collects);

}  // namespace dunlin::kmeans
