#include <cmath>

#include "device/clones.hpp"
#include "layout/stress_rows.hpp"
#include "math/unrolled.hpp"

namespace dunlin::layout {

namespace {

template <int D>
[[gnu::always_inline]] inline void sum_row(const StressRow& row, StressSums& sums) {
    using math::unrolled;
    float total = 0, place[D] = {}, from[D];
    const float *at[D], *distances = row.distances, *weights = row.weights;
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
        from[d] = row.from[d];
        at[d] = row.at[d];
    });
    for (Index j = 0; j < row.size; ++j) {
        float delta[D], r2 = 1e-12F;
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
            delta[d] = from[d] - at[d][j];
            r2 += delta[d] * delta[d];
        });
        const float weight = weights[j], stretch = distances[j] / std::sqrt(r2);
        total += weight;
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE { place[d] += weight * (at[d][j] + stretch * delta[d]); });
    }
    sums.weight += total;
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE { sums.place[d] += place[d]; });
}

}  // namespace

DUNLIN_CLONES void stress_row(const StressRow& row, StressSums& sums) {
    row.dim == 2 ? sum_row<2>(row, sums) : sum_row<3>(row, sums);
}

}  // namespace dunlin::layout
