// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "math/hd.hpp"

/// Floats as unsigned numbers of the same order, for sorting by digits.
namespace dunlin::math {

/// bits: those of a float that is not NaN.
DUNLIN_HD constexpr std::uint32_t order_of_bits(std::uint32_t bits) {
    return bits ^ ((bits & 0x80000000U) != 0 ? 0xffffffffU : 0x80000000U);
}

/// The inverse.
DUNLIN_HD constexpr std::uint32_t bits_of_order(std::uint32_t order) {
    return order ^ ((order & 0x80000000U) != 0 ? 0x80000000U : 0xffffffffU);
}

}  // namespace dunlin::math
