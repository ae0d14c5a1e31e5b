// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "math/hd.hpp"

// For the steps of `unrolled`: a step left as a call would keep its loop from vectorizing.
#define DUNLIN_INLINE __attribute__((always_inline))

namespace dunlin::math {

/// step(0) ... step(N - 1), written out: small arrays become registers, and the loop around it can vectorize.
template <int N, class Step>
DUNLIN_INLINE DUNLIN_HD inline void unrolled(const Step& step) {
    [&]<std::size_t... i>(std::index_sequence<i...>) DUNLIN_INLINE { (step(i), ...); }(std::make_index_sequence<N>{});
}

}  // namespace dunlin::math
