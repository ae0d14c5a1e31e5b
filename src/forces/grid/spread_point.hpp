// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "forces/grid/spline_lanes.hpp"

/// Adds a point's B-spline weights to the nodes of its cell, which hold floats or fixed-point integers.
namespace dunlin::forces {

DUNLIN_INLINE void add_rows(const device::Lanes8& x, const Broadcast& y, float* at, Offset row) {
    for (int r = 0; r < grid_order; ++r) *reinterpret_cast<device::Lanes8Loose*>(at + r * row) += x * y.of[r];
}

DUNLIN_INLINE void add_rows(const device::Lanes8& x, const Broadcast& y, std::int32_t* at, Offset row) {
    // Without sign: the compiler may add the bits before it subtracts those of the rounding
    using Integers8 = std::uint32_t __attribute__((vector_size(32), may_alias));
    using Integers8Loose = std::uint32_t __attribute__((vector_size(32), may_alias, aligned(4)));
    // Adding 1.5 * 2^23 to a float below 2^22 rounds it to a whole number, which is then in the low bits
    constexpr float rounding = 0x1.8p23F;
    constexpr std::uint32_t rounding_bits = 0x4b400000;
    for (int r = 0; r < grid_order; ++r) {
        const device::Lanes8 rounded = x * y.of[r] + rounding;
        *reinterpret_cast<Integers8Loose*>(at + r * row) += reinterpret_cast<const Integers8&>(rounded) - rounding_bits;
    }
}

/// t: position within the cell, in [0, 1); at: its first node; charge: what the weights sum to.
template <int D, class Node>
DUNLIN_INLINE void spread_point(const float (&t)[D], float charge, const GridStrides& strides, Node* at) {
    device::Lanes8 x, other;
    weigh(t[0], x);
    x *= charge;
    Broadcast y, z;
    weigh(t[1], other);
    y = other;
    if constexpr (D == 2) {
        add_rows(x, y, at, strides.row);
    } else {
        weigh(t[2], other);
        z = other;
        for (int p = 0; p < grid_order; ++p) add_rows(x * z.of[p], y, at + p * strides.plane, strides.row);
    }
}

}  // namespace dunlin::forces
