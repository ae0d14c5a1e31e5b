// SPDX-License-Identifier: Apache-2.0
#include "scores/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"

namespace dunlin::scores {

namespace {

// Sixteen floats: one AVX-512 register, two of AVX2, or four of SSE
using Lanes [[gnu::vector_size(panel_lanes * sizeof(float)), gnu::aligned(4), gnu::may_alias]] = float;

template <bool manhattan>
[[gnu::always_inline]] inline void meet(const float* const* x, const float* panel, Index cols, float* total,
                                        Index stride) {
    Lanes sum[panel_rows] = {};
    for (Index c = 0; c < cols; ++c) {
        const Lanes y = *reinterpret_cast<const Lanes*>(panel + Offset{c} * panel_lanes);
        for (int r = 0; r < panel_rows; ++r) {
            const Lanes delta = y - x[r][c];
            if constexpr (manhattan) {
                sum[r] += delta < 0 ? -delta : delta;
            } else {
                sum[r] += delta * delta;
            }
        }
    }
    for (int r = 0; r < panel_rows; ++r) *reinterpret_cast<Lanes*>(total + Offset{r} * stride) += sum[r];
}

template <int D, class Steps>
[[gnu::always_inline]] inline RatioSums ratios(const float* const* column, const double* point, const Steps* steps,
                                               Index count) {
    double known = 0, sum = 0, squares = 0;
    for (Index l = 0; l < count; ++l) {
        double r2 = 0;
        for (int c = 0; c < D; ++c) {
            const double d = static_cast<double>(column[c][l]) - point[c];
            r2 += d * d;
        }
        const bool joined = steps[l] > 0;
        const double q = joined ? std::sqrt(r2) / static_cast<double>(steps[l]) : 0;
        known += joined ? 1 : 0;
        sum += q;
        squares += q * q;
    }
    return {known, sum, squares};
}

template <class Steps>
[[gnu::always_inline]] inline RatioSums ratios(const float* const* column, int dim, const double* point,
                                               const Steps* steps, Index count) {
    if (dim == 1) return ratios<1>(column, point, steps, count);
    return dim == 2 ? ratios<2>(column, point, steps, count) : ratios<3>(column, point, steps, count);
}

}  // namespace

DUNLIN_CLONES RatioSums ratio_sums(const float* const* column, int dim, const double* point, const Index* steps,
                                   Index count) {
    return ratios(column, dim, point, steps, count);
}

DUNLIN_CLONES RatioSums ratio_sums(const float* const* column, int dim, const double* point, const std::uint8_t* steps,
                                   Index count) {
    return ratios(column, dim, point, steps, count);
}

DUNLIN_CLONES void panel_distances(const float* const* x, const float* panel, Index cols, bool manhattan, float* total,
                                   Index stride) {
    if (manhattan) {
        meet<true>(x, panel, cols, total, stride);
    } else {
        meet<false>(x, panel, cols, total, stride);
    }
}

DUNLIN_CLONES Below count_below(const float* distance, int count, float bound) {
    int less = 0, equal = 0;
    for (int l = 0; l < count; ++l) {
        less += distance[l] < bound ? 1 : 0;
        equal += distance[l] == bound ? 1 : 0;
    }
    return {less, equal};
}

}  // namespace dunlin::scores
