// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/clones.hpp"
#include "layout/stress_rows.hpp"
#include "layout/stress_term.hpp"
#include "math/unrolled.hpp"

namespace dunlin::layout {

namespace {

template <int D>
[[gnu::always_inline]] inline void sum_row(const StressRow& row, StressSums& sums) {
    using math::unrolled;
    float from[D];
    const float *at[D], *distances = row.distances, *weights = row.weights;
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
        from[d] = row.from[d];
        at[d] = row.at[d];
    });
    StressSum<D> sum;
    for (Index j = 0; j < row.size; ++j) {
        float other[D];
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE { other[d] = at[d][j]; });
        sum.add(weights[j], distances[j], from, other);
    }
    sums.weight += static_cast<double>(sum.total.at[D]);
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE { sums.place[d] += static_cast<double>(sum.total.at[d]); });
}

}  // namespace

DUNLIN_CLONES void stress_row(const StressRow& row, StressSums& sums) {
    row.dim == 2 ? sum_row<2>(row, sums) : sum_row<3>(row, sums);
}

DUNLIN_CLONES void shorten_by(float length, const float* __restrict from, float* __restrict to, Index count) {
    for (Index p = 0; p < count; ++p) to[p] = std::min(to[p], from[p] + length);
}

}  // namespace dunlin::layout
