// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include "math/hd.hpp"

/// On a GPU: returns the float result of one instruction applied to x. On a CPU: nothing.
#ifdef __CUDA_ARCH__
#define DUNLIN_FLOAT_BY_INSTRUCTION(instruction, x)          \
    if constexpr (std::is_same_v<decltype(x), float>) {      \
        float result;                                        \
        asm(instruction " %0, %1;" : "=f"(result) : "f"(x)); \
        return result;                                       \
    }
#else
#define DUNLIN_FLOAT_BY_INSTRUCTION(instruction, x)
#endif

namespace dunlin::math {

/// 1 / x, correctly rounded on a CPU. On a GPU, float by one instruction: error of at most one unit in the last place;
/// 0 for x >= 2^126, and x below 2^-126 counts as 0.
template <class Real>
DUNLIN_HD Real reciprocal(Real x) {
    DUNLIN_FLOAT_BY_INSTRUCTION("rcp.approx.ftz.f32", x)
    return Real(1) / x;
}

/// 1 / sqrt(x), x > 0. On a GPU, float by one instruction: error of at most two units in the last place.
template <class Real>
DUNLIN_HD Real reciprocal_root(Real x) {
    DUNLIN_FLOAT_BY_INSTRUCTION("rsqrt.approx.ftz.f32", x)
    return Real(1) / std::sqrt(x);
}

/// sqrt(x), x >= 0, correctly rounded on a CPU. On a GPU, float by one instruction: error of at most two units in the
/// last place; 0 for x below 2^-126.
template <class Real>
DUNLIN_HD Real root(Real x) {
    DUNLIN_FLOAT_BY_INSTRUCTION("sqrt.approx.ftz.f32", x)
    return std::sqrt(x);
}

}  // namespace dunlin::math

#undef DUNLIN_FLOAT_BY_INSTRUCTION
