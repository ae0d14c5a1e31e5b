// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::device {

/// CUB's protocol: calls call(scratch, bytes) once with null to get the size of the scratch memory, then to enqueue
/// work.
template <class Call>
void with_scratch(Cuda& cuda, const Call& call) {
    std::size_t bytes = 0;
    cuda_check(call(nullptr, bytes));
    const CudaBuffer<char> scratch(std::max<std::size_t>(bytes, 1), cuda.stream());
    cuda_check(call(scratch.data(), bytes));
}

}  // namespace dunlin::device
