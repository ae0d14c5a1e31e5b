// SPDX-License-Identifier: Apache-2.0
#include "layout/stress_moves.hpp"

#include <algorithm>

#include "device/clones.hpp"
#include "math/unrolled.hpp"

namespace dunlin::layout {

namespace {

constexpr Index size = stress_block;

template <int D, bool Pinned>
[[gnu::always_inline]] inline void meet(const StressBlock& one, const StressBlock& other, const float* distances,
                                        float eta) {
    using math::unrolled;
    float *const a = one.at, *const b = other.at;
    for (Index t = 0; t < size; ++t) {
        for (Index i = 0; i < size; ++i) {
            float way[D], r2 = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                way[d] = b[d * size + static_cast<std::size_t>(i)] - a[d * size + static_cast<std::size_t>(i)];
                r2 += way[d] * way[d];
            });
            const float share = step_of_pair(r2, distances[t * size + i], eta);
            float of_a = share, of_b = share;
            if constexpr (Pinned) {
                const float a_free = one.free[i], b_free = other.free[(i + t) % size];
                of_a *= part_of_move(a_free, b_free);
                of_b *= part_of_move(b_free, a_free);
            }
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                a[d * size + static_cast<std::size_t>(i)] += of_a * way[d];
                b[d * size + static_cast<std::size_t>(i)] -= of_b * way[d];
            });
        }
        unrolled<D>([&](std::size_t d)
                        DUNLIN_INLINE { std::rotate(b + d * size, b + d * size + 1, b + (d + 1) * size); });
    }
}

}  // namespace

DUNLIN_CLONES void meet_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta) {
    if (a.free != nullptr) {
        dim == 2 ? meet<2, true>(a, b, distances, eta) : meet<3, true>(a, b, distances, eta);
    } else {
        dim == 2 ? meet<2, false>(a, b, distances, eta) : meet<3, false>(a, b, distances, eta);
    }
}

void meet_itself(const StressBlock& block, int dim, const float* distances, float eta) {
    for (Index t = 1; t < size; ++t) {
        for (Index i = 0; i < size; ++i) {
            const Index j = i ^ t;
            if (i > j) continue;
            float* const one = block.at + i;
            float* const other = block.at + j;
            float r2 = 0;
            for (Offset d = 0; d < dim; ++d)
                r2 += (other[d * size] - one[d * size]) * (other[d * size] - one[d * size]);
            const float share = step_of_pair(r2, distances[turn_of(i, j) * size + i], eta);
            const float i_free = block.free != nullptr ? block.free[i] : 1;
            const float j_free = block.free != nullptr ? block.free[j] : 1;
            for (Offset d = 0; d < dim; ++d) {
                const float move = share * (other[d * size] - one[d * size]);
                one[d * size] += part_of_move(i_free, j_free) * move;
                other[d * size] -= part_of_move(j_free, i_free) * move;
            }
        }
    }
}

}  // namespace dunlin::layout
