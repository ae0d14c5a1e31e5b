// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/hits.cuh"

namespace dunlin::neighbors {

/// The sieve by what only compute capability 9.0 has: products of shared memory by warpgroups (wgmma), fed by the bulk
/// copy engine. The same rows pass as on other GPUs but for the rounding of sums, which the slack covers.
void sieve_on_hopper(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid);

}  // namespace dunlin::neighbors
