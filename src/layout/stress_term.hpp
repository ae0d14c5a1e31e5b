// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"
#include "math/unrolled.hpp"
#include "math/vec.hpp"

namespace dunlin::layout {

/// A vertex's step of stress majorization: it goes to sum w (y_j + d (y_i - y_j) / |y_i - y_j|) / sum w.
template <int D>
struct StressSum {
    math::Vec<float, D + 1> total;  ///< of the places; last, of the weights

    /// One other vertex j, at `at`.
    DUNLIN_INLINE DUNLIN_HD inline void add(float weight, float distance, const float* from, const float* at) {
        float delta[D], r2 = 1e-12F;
        math::unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
            delta[d] = from[d] - at[d];
            r2 += delta[d] * delta[d];
        });
        const float stretch = distance / std::sqrt(r2);
        math::unrolled<D>([&](std::size_t d) DUNLIN_INLINE { total.at[d] += weight * (at[d] + stretch * delta[d]); });
        total.at[D] += weight;
    }
};

}  // namespace dunlin::layout
