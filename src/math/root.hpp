#pragma once

#include <cmath>
#include <type_traits>

#include "device/hd.hpp"

namespace dunlin::math {

/// 1 / x, correctly rounded on a CPU. On a GPU the float is within one unit in the last place, by the one instruction
/// there is for it, and nought for x >= 2^126; an x below 2^-126 counts as nought.
template <class Real>
DUNLIN_HD Real reciprocal(Real x) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Real, float>) {
        float result;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
#endif
    return Real(1) / x;
}

/// 1 / sqrt(x), x > 0. On a GPU the float is within two units in the last place, likewise by one instruction.
template <class Real>
DUNLIN_HD Real reciprocal_root(Real x) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Real, float>) {
        float result;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
#endif
    return Real(1) / std::sqrt(x);
}

/// sqrt(x), x >= 0, correctly rounded on a CPU. On a GPU the float is within two units in the last place, by one
/// instruction, and nought for x below 2^-126.
template <class Real>
DUNLIN_HD Real root(Real x) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Real, float>) {
        float result;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
#endif
    return std::sqrt(x);
}

}  // namespace dunlin::math
