// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "math/hd.hpp"
#include "math/unrolled.hpp"

namespace dunlin::math {

/// e^x for |x| <= 87 in plain arithmetic, so that loops vectorize, given x / log 2 + `half`, where half rounds to the
/// nearest integer by truncation: 1/2 with the sign of x. Relative error below 2e-7. Splits x = m log 2 + r with |r| <=
/// log(2) / 2 and takes the Taylor polynomial of degree 7 in r.
DUNLIN_INLINE DUNLIN_HD inline float exp_near(float x, float half) {
    const auto exponent = static_cast<std::int32_t>(x * 1.44269504F + half);
    const auto m = static_cast<float>(exponent);
    const float r = (x - m * 0.693359375F) + m * 2.12194440e-4F;
    float p = 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    return p * std::bit_cast<float>((exponent + 127) << 23);
}

/// e^x for x <= 0; 0 for x below -87.
DUNLIN_INLINE DUNLIN_HD inline float exp_of_negative(float x) {
    const float value = exp_near(x < -87.0F ? -87.0F : x, -0.5F);
    return x < -87.0F ? 0.0F : value;
}

/// e^x, constant outside of [-87, 80], so that products of the result with numbers of common size stay finite.
DUNLIN_INLINE DUNLIN_HD inline float exp_of(float x) {
    const float low = x < -87.0F ? -87.0F : x, clamped = low > 80.0F ? 80.0F : low;
    return exp_near(clamped, clamped < 0 ? -0.5F : 0.5F);
}

}  // namespace dunlin::math
