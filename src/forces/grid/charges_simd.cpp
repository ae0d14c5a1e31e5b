// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/grid/charges.hpp"
#include "forces/grid/spline_lanes.hpp"

namespace dunlin::forces {

namespace {

using device::Lanes8;
using Integers8 = std::int32_t __attribute__((vector_size(32), may_alias));
using Integers8Loose = std::int32_t __attribute__((vector_size(32), may_alias, aligned(4)));

// Adding 1.5 * 2^23 to a float below 2^22 rounds it to a whole number, which is then in the low bits
constexpr float rounding = 0x1.8p23F;
constexpr std::int32_t rounding_bits = 0x4b400000;

DUNLIN_INLINE void add_rows(const Lanes8& x, const Broadcast& y, std::int32_t* at, Offset row) {
    for (int r = 0; r < grid_order; ++r) {
        const Lanes8 rounded = x * y.of[r] + rounding;
        *reinterpret_cast<Integers8Loose*>(at + r * row) += reinterpret_cast<const Integers8&>(rounded) - rounding_bits;
    }
}

template <int D>
DUNLIN_INLINE void spread_all(const GridPoint<D>* points, Offset count, const float* weights, const int (&least)[D],
                              const GridStrides& strides, std::int32_t* tile) {
    Offset first = least[0] + least[1] * strides.row;
    if constexpr (D == 3) first += least[2] * strides.plane;
    for (Offset i = 0; i < count; ++i) {
        float t[D];
        std::int32_t* at = tile + (locate<D>(points[i], strides, t) - first);
        Lanes8 x, other;
        weigh(t[0], x);
        x *= (weights == nullptr ? 1.0F : weights[points[i].id]) * static_cast<float>(1 << charge_bits);
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
}

DUNLIN_CLONES void spread2(const GridPoint<2>* points, Offset count, const float* weights, const int (&least)[2],
                           const GridStrides& strides, std::int32_t* tile) {
    spread_all<2>(points, count, weights, least, strides, tile);
}
DUNLIN_CLONES void spread3(const GridPoint<3>* points, Offset count, const float* weights, const int (&least)[3],
                           const GridStrides& strides, std::int32_t* tile) {
    spread_all<3>(points, count, weights, least, strides, tile);
}

}  // namespace

template <>
void spread_to_tile<2>(const GridPoint<2>* points, Offset count, const float* weights, const int (&least)[2],
                       const GridStrides& strides, std::int32_t* tile) {
    spread2(points, count, weights, least, strides, tile);
}
template <>
void spread_to_tile<3>(const GridPoint<3>* points, Offset count, const float* weights, const int (&least)[3],
                       const GridStrides& strides, std::int32_t* tile) {
    spread3(points, count, weights, least, strides, tile);
}

}  // namespace dunlin::forces
