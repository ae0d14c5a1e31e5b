// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "math/hd.hpp"

// For the steps of `unrolled`: a step that is not inlined prevents vectorization of the loop around it.
#define DUNLIN_INLINE __attribute__((always_inline))

// Put before a loop over the axes of a point, so that the loop over the points can vectorize.
// The host pass of nvcc hands either pragma to g++ in a form that g++ does not know.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define DUNLIN_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define DUNLIN_UNROLL
#else
#define DUNLIN_UNROLL _Pragma("GCC unroll 3")
#endif

namespace dunlin::math {

/// Unrolled step(0) ... step(N - 1): small arrays become registers, and the enclosing loop can vectorize.
template <int N, class Step>
DUNLIN_INLINE DUNLIN_HD inline void unrolled(const Step& step) {
    [&]<std::size_t... i>(std::index_sequence<i...>) DUNLIN_INLINE { (step(i), ...); }(std::make_index_sequence<N>{});
}

}  // namespace dunlin::math
