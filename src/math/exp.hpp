// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "math/hd.hpp"

namespace dunlin::math {

/// e^x for x <= 0 in plain arithmetic, so that loops vectorize. Relative error below 2e-7; 0 for x below -87. Splits x
/// = m log 2 + r with |r| <= log(2) / 2 and takes the Taylor polynomial of degree 7 in r.
DUNLIN_HD inline float exp_of_negative(float x) {
    const float clamped = x < -87.0F ? -87.0F : x;
    const auto exponent = static_cast<std::int32_t>(clamped * 1.44269504F - 0.5F);  // to the nearest, as x <= 0
    const auto m = static_cast<float>(exponent);
    const float r = (clamped - m * 0.693359375F) + m * 2.12194440e-4F;
    float p = 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    const float scale = std::bit_cast<float>((exponent + 127) << 23);
    return x < -87.0F ? 0.0F : p * scale;
}

}  // namespace dunlin::math
