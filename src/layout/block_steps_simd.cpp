// SPDX-License-Identifier: Apache-2.0
#include "layout/block_steps.hpp"

#include <algorithm>

#include "device/clones.hpp"
#include "math/unrolled.hpp"

namespace dunlin::layout {

namespace {

constexpr Index size = stress_block;

template <int D, bool Pinned>
[[gnu::always_inline]] inline void step_all(const StressBlock& one, const StressBlock& other, const float* distances,
                                            float eta) {
    using math::unrolled;
    float *const a = one.at, *const b = other.at;
    for (Index t = 0; t < size; ++t) {
        for (Index i = 0; i < size; ++i) {
            float apart[D], d2 = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                apart[d] = b[d * size + static_cast<std::size_t>(i)] - a[d * size + static_cast<std::size_t>(i)];
                d2 += apart[d] * apart[d];
            });
            const float step = step_of_pair(d2, distances[t * size + i], eta);
            float a_step = step, b_step = step;
            if constexpr (Pinned) {
                const float a_free = one.free[i], b_free = other.free[(i + t) % size];
                a_step *= pinned_factor(a_free, b_free);
                b_step *= pinned_factor(b_free, a_free);
            }
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                a[d * size + static_cast<std::size_t>(i)] += a_step * apart[d];
                b[d * size + static_cast<std::size_t>(i)] -= b_step * apart[d];
            });
        }
        unrolled<D>([&](std::size_t d)
                        DUNLIN_INLINE { std::rotate(b + d * size, b + d * size + 1, b + (d + 1) * size); });
    }
}

}  // namespace

DUNLIN_CLONES void step_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta) {
    if (a.free != nullptr) {
        if (dim == 1) return step_all<1, true>(a, b, distances, eta);
        dim == 2 ? step_all<2, true>(a, b, distances, eta) : step_all<3, true>(a, b, distances, eta);
    } else {
        if (dim == 1) return step_all<1, false>(a, b, distances, eta);
        dim == 2 ? step_all<2, false>(a, b, distances, eta) : step_all<3, false>(a, b, distances, eta);
    }
}

void step_within(const StressBlock& block, int dim, const float* distances, float eta) {
    for (Index t = 1; t < size; ++t) {
        for (Index i = 0; i < size; ++i) {
            const Index j = i ^ t;
            if (i > j) continue;
            float* const one = block.at + i;
            float* const other = block.at + j;
            float d2 = 0;
            for (Offset d = 0; d < dim; ++d)
                d2 += (other[d * size] - one[d * size]) * (other[d * size] - one[d * size]);
            const float step = step_of_pair(d2, distances[round_of(i, j) * size + i], eta);
            const float i_free = block.free != nullptr ? block.free[i] : 1;
            const float j_free = block.free != nullptr ? block.free[j] : 1;
            for (Offset d = 0; d < dim; ++d) {
                const float move = step * (other[d * size] - one[d * size]);
                one[d * size] += pinned_factor(i_free, j_free) * move;
                other[d * size] -= pinned_factor(j_free, i_free) * move;
            }
        }
    }
}

}  // namespace dunlin::layout
