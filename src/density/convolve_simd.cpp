// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "density/convolve.hpp"
#include "device/lanes.hpp"

namespace dunlin::density {

namespace {

template <class Lanes>
DUNLIN_INLINE void filter_some_as(const float* from, Offset stride, int first, int last, const float* taps, int count,
                                  float* to) {
    constexpr int lanes = device::lanes_of<Lanes>, vectors = filter_block / lanes;
    Lanes sums[vectors] = {};
    for (Offset j = first; j <= last; ++j) {
        const float tap = taps[j < 0 ? -j : j];
        const float* row = from + j * stride;
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            Lanes values;
            std::memcpy(&values, row + Offset{v} * lanes, sizeof(values));
            sums[v] += values * tap;
        }
    }
    std::memcpy(to, sums, static_cast<std::size_t>(count) * sizeof(float));
}

}  // namespace

DUNLIN_BY_WIDTH(filter_some,
                (const float* from, Offset stride, int first, int last, const float* taps, int count, float* to),
                (from, stride, first, last, taps, count, to))

}  // namespace dunlin::density
