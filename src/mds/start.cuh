// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/ranks.cuh"
#include "mds/align.hpp"
#include "mds/smacof/pull.cuh"
#include "mds/spectral/spectral.cuh"
#include "mds/start.hpp"

namespace dunlin::mds {

/// Warp shuffle for reductions of Extreme (align.hpp).
template <int Lanes>
__device__ Extreme from_further(Extreme extreme, int lanes) {
    return {device::from_further<Lanes>(extreme.value, lanes)};
}

}  // namespace dunlin::mds
