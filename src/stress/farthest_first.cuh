// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "stress/farthest_first.hpp"

namespace dunlin::stress {

/// What Cuda::sum needs to compare items across a warp.
template <int Lanes>
__device__ Farthest from_further(Farthest farthest, int lanes) {
    return {device::from_further<Lanes>(farthest.delta, lanes), device::from_further<Lanes>(farthest.item, lanes)};
}

}  // namespace dunlin::stress
