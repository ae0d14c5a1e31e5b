// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::device {

/// Makes a GPU the current device of the calling thread until destruction: for the calls of objects that outlive a
/// call.
class CurrentGpu {
public:
    explicit CurrentGpu(int gpu) { cuda_check(cudaSetDevice(gpu)); }

private:
    CallersContext callers_;
};

}  // namespace dunlin::device
