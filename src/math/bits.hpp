// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "math/hd.hpp"

#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

/// Functions of <bit> for CPU and GPU: those of the standard library compile for a GPU, but return wrong values there.
namespace dunlin::math {

DUNLIN_HD inline int count_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return __popc(bits);
#else
    return std::popcount(bits);
#endif
}

DUNLIN_HD inline int count_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __popcll(bits);
#else
    return std::popcount(bits);
#endif
}

/// Index of the lowest bit; bits is not 0.
DUNLIN_HD inline int lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return std::countr_zero(bits);
#endif
}

}  // namespace dunlin::math
