// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/hits.cuh"

namespace dunlin::neighbors {

/// The candidate filter for compute capability 9.0: wgmma and the bulk copy engine. The same rows pass as on other
/// GPUs, except for the rounding of sums, which the slack covers.
void filter_on_hopper(device::Cuda& cuda, const FilterTask& task, Index padded_queries, Index padded_base, dim3 grid);

}  // namespace dunlin::neighbors
