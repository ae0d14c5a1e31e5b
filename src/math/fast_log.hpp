// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace dunlin::math {

/// Natural logarithm of a positive normal float in a form that vectorizes, unlike std::log. Relative error 1e-7 (near
/// 1: relative to 1 - x). x = 2^k (1 + t) with 1 + t in [sqrt(1/2), sqrt(2)); log(1 + t) = t - t^2 / 2 + t^3 P(t), P is
/// a minimax fit.
[[gnu::always_inline]] inline float fast_log(float x) {
    constexpr std::uint32_t root_half = 0x3f3504f3;  // the bits of sqrt(1/2)
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) - root_half;
    const auto exponent = static_cast<float>(static_cast<std::int32_t>(bits) >> 23);
    const float t = std::bit_cast<float>((bits & 0x007fffffU) + root_half) - 1;
    float p = -0.0785964876F;
    p = p * t + 0.128816381F;
    p = p * t - 0.131287351F;
    p = p * t + 0.141811922F;
    p = p * t - 0.166245565F;
    p = p * t + 0.200022861F;
    p = p * t - 0.250008106F;
    p = p * t + 0.333333164F;
    return exponent * 0.693147181F + (t + t * t * (p * t - 0.5F));
}

}  // namespace dunlin::math
