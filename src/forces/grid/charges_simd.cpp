// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/grid/charges.hpp"
#include "forces/grid/spread_point.hpp"

namespace dunlin::forces {

namespace {

template <int D>
DUNLIN_INLINE void spread_all(const GridPoint<D>* points, Offset count, const float* weights, const int (&least)[D],
                              const GridStrides& strides, std::int32_t* tile) {
    Offset first = least[0] + least[1] * strides.row;
    if constexpr (D == 3) first += least[2] * strides.plane;
    for (Offset i = 0; i < count; ++i) {
        float t[D];
        std::int32_t* at = tile + (locate<D>(points[i], strides, t) - first);
        const float weight = weights == nullptr ? 1.0F : weights[points[i].id];
        spread_point<D>(t, weight * static_cast<float>(1 << charge_bits), strides, at);
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
