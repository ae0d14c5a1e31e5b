// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::device {

/// Calls call(scratch, bytes) as CUB wants it: once to learn how much scratch memory it takes, once to enqueue work.
template <class Call>
void with_scratch(Cuda& cuda, const Call& call) {
    std::size_t bytes = 0;
    cuda_check(call(nullptr, bytes));
    const CudaBuffer<char> scratch(std::max<std::size_t>(bytes, 1), cuda.stream());
    cuda_check(call(scratch.data(), bytes));
}

}  // namespace dunlin::device
