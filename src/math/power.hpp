// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include "math/exp.hpp"
#include "math/fast_log.hpp"
#include "math/hd.hpp"
#include "math/unrolled.hpp"

namespace dunlin::math {

/// Natural logarithm of a positive normal number. In float a CPU uses plain arithmetic, so that loops vectorize, and a
/// GPU its log2 instruction: relative error below 2e-7.
template <class Real>
DUNLIN_INLINE DUNLIN_HD inline Real logarithm(Real x) {
    if constexpr (std::is_same_v<Real, float>) {
#ifdef __CUDA_ARCH__
        return __logf(x);
#else
        return fast_log(x);
#endif
    } else {
        return std::log(x);
    }
}

/// x^e for positive normal x. In float as logarithm; the exponent e log(x) is limited to [-87, 80].
template <class Real>
DUNLIN_INLINE DUNLIN_HD inline Real power(Real x, Real e) {
    if constexpr (std::is_same_v<Real, float>) {
#ifdef __CUDA_ARCH__
        return exp2f(fminf(e * log2f(x), 115.0F));
#else
        return exp_of(e * fast_log(x));
#endif
    } else {
        return std::pow(x, e);
    }
}

/// x^-e for x >= 1 and e > 0. In float a CPU uses plain arithmetic, so that loops vectorize, and a GPU its log2 and
/// exp2 instructions: relative error below 2e-7 + 2e-7 e log(x).
template <class Real>
DUNLIN_HD Real power_of_reciprocal(Real x, Real e) {
    if constexpr (std::is_same_v<Real, float>) {
#ifdef __CUDA_ARCH__
        return exp2f(-e * log2f(x));
#else
        return exp_of_negative(-e * fast_log(x));
#endif
    } else {
        return std::pow(x, -e);
    }
}

}  // namespace dunlin::math
