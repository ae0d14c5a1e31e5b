// SPDX-License-Identifier: Apache-2.0
#include "forces/sampled/batch.hpp"

#include "device/clones.hpp"
#include "forces/law.hpp"
#include "forces/width.hpp"

namespace dunlin::forces {

namespace {

template <int W>
[[gnu::always_inline]] inline float distance2(const float* a, const float* b) {
    float r2 = 0;
    for (int c = 0; c < W; ++c) r2 += (a[c] - b[c]) * (a[c] - b[c]);
    return r2;
}

/// Three passes, of which the second, over the law, takes most of the time and is contiguous.
template <class Law, int W>
[[gnu::always_inline]] inline void add_batch(const Law law, const float* y, const float* place, const Index* points,
                                             Index count, double* sum) {
    float strength[sampled_batch], part[W] = {};
    for (Index s = 0; s < count; ++s) strength[s] = distance2<W>(place, y + Offset{points[s]} * W);
    for (Index s = 0; s < count; ++s) strength[s] = law.strength(strength[s]);
    for (Index s = 0; s < count; ++s) {
        const float* other = y + Offset{points[s]} * W;
        for (int c = 0; c < W; ++c) part[c] += strength[s] * (place[c] - other[c]);
    }
    for (int c = 0; c < W; ++c) sum[c] += static_cast<double>(part[c]);
}

template <class Law, int W>
[[gnu::always_inline]] inline float sum_batch(const Law law, const float* y, const float* place, Index count) {
    float r2[sampled_batch], sum = 0;
    for (Index s = 0; s < count; ++s) r2[s] = distance2<W>(place, y + Offset{s} * W);
    for (Index s = 0; s < count; ++s) sum += potential_of(law, r2[s]);
    return sum;
}

}  // namespace

#define DUNLIN_SAMPLED(Law, W)                                                                                        \
    template <>                                                                                                       \
    DUNLIN_CLONES void add_repulsion<Law, W>(const Law& law, const float* y, const float* place, const Index* points, \
                                             Index count, double* sum) {                                              \
        add_batch<Law, W>(law, y, place, points, count, sum);                                                         \
    }                                                                                                                 \
    template <>                                                                                                       \
    DUNLIN_CLONES float sum_potentials<Law, W>(const Law& law, const float* y, const float* place, Index count) {     \
        return sum_batch<Law, W>(law, y, place, count);                                                               \
    }
#define DUNLIN_SAMPLED_FUZZY(W) DUNLIN_SAMPLED(Fuzzy, W)
#define DUNLIN_SAMPLED_FURTHER(W) DUNLIN_SAMPLED(FurtherPairs, W)
DUNLIN_WIDTHS(DUNLIN_SAMPLED_FUZZY)
DUNLIN_WIDTHS(DUNLIN_SAMPLED_FURTHER)

}  // namespace dunlin::forces
