// SPDX-License-Identifier: Apache-2.0
#include "mds/sgd/group.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"
#include "device/lanes.hpp"

namespace dunlin::mds {

namespace {

using Lanes = device::Lanes8Loose;
using LaneOrder = std::int32_t __attribute__((vector_size(32)));

/// The lower blocks of a matching's two pairs; their partners are block ^ (matching + 1).
constexpr Offset lower[group_matchings][2] = {{0, 2}, {0, 1}, {0, 1}};

DUNLIN_INLINE Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }
DUNLIN_INLINE const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }

/// Lane l takes the value of lane l + 1.
DUNLIN_INLINE void rotate(Lanes& values) {
#ifdef __clang__  // which has no __builtin_shuffle
    values = __builtin_shufflevector(values, values, 1, 2, 3, 4, 5, 6, 7, 0);
#else
    constexpr LaneOrder next{1, 2, 3, 4, 5, 6, 7, 0};
    values = __builtin_shuffle(values, next);
#endif
}

template <bool manhattan>
DUNLIN_INLINE void add_block_pair(const float* a, const float* b, Index cols, float* sums) {
    Lanes sum[group_block] = {};
    for (Index c = 0; c < cols; ++c) {
        const Lanes x = lanes(a + Offset{c} * group_size);
        Lanes other = lanes(b + Offset{c} * group_size);
        for (Lanes& of_turn : sum) {
            const Lanes delta = x - other;
            if constexpr (manhattan) {
                of_turn += delta < 0 ? -delta : delta;
            } else {
                of_turn += delta * delta;
            }
            rotate(other);
        }
    }
    for (Offset k = 0; k < group_block; ++k) lanes(sums + k * 2 * group_block) = sum[k];
}

template <bool manhattan>
DUNLIN_INLINE void add_pairs(const float* x, Index cols, float* sums) {
    for (Offset m = 0; m < group_matchings; ++m) {
        for (Offset p = 0; p < 2; ++p) {
            const Offset a = lower[m][p], b = a ^ (m + 1);
            add_block_pair<manhattan>(x + a * group_block, x + b * group_block, cols,
                                      sums + m * group_block * 2 * group_block + p * group_block);
        }
    }
}

/// One round of two pairs of blocks; a[p], b[p]: coordinates of their items, axis by axis.
template <bool weighted>
DUNLIN_INLINE void step_round(float* const* a, float* const* b, int dim, const float* delta, const float* weight,
                              float mu) {
    alignas(64) float d2[2 * group_block] = {}, share[2 * group_block];
    for (Offset p = 0; p < 2; ++p) {
        for (Offset c = 0; c < dim; ++c) {
            const Lanes apart = lanes(a[p] + c * group_size) - lanes(b[p] + c * group_size);
            lanes(d2 + p * group_block) += apart * apart;
        }
    }
    for (int l = 0; l < 2 * group_block; ++l) {
        const float own = weighted ? stress::capped_rate(mu * weight[l]) : mu;
        share[l] = stress::pair_step(d2[l], delta[l], own);
    }
    for (Offset p = 0; p < 2; ++p) {
        for (Offset c = 0; c < dim; ++c) {
            Lanes &one = lanes(a[p] + c * group_size), &other = lanes(b[p] + c * group_size);
            const Lanes move = lanes(share + p * group_block) * (one - other);
            one -= move;
            Lanes moved = other + move;
            rotate(moved);
            other = moved;
        }
    }
}

template <bool weighted>
DUNLIN_INLINE void step_rounds(float* y, int dim, const float* delta, const float* weight, float mu) {
    constexpr Offset pairs = Offset{2} * group_block;
    Offset first = 0;
    for (Offset m = 0; m < group_matchings; ++m) {
        float *a[2], *b[2];
        for (Offset p = 0; p < 2; ++p) {
            a[p] = y + lower[m][p] * group_block;
            b[p] = y + (lower[m][p] ^ (m + 1)) * group_block;
        }
        for (int k = 0; k < group_block; ++k, first += pairs)
            step_round<weighted>(a, b, dim, delta + first, weighted ? weight + first : nullptr, mu);
    }
}

}  // namespace

DUNLIN_CLONES void group_sums(const float* x, Index cols, bool manhattan, float* sums) {
    manhattan ? add_pairs<true>(x, cols, sums) : add_pairs<false>(x, cols, sums);
}

DUNLIN_CLONES void step_group(float* y, int dim, const float* delta, const float* weight, float mu) {
    weight != nullptr ? step_rounds<true>(y, dim, delta, weight, mu) : step_rounds<false>(y, dim, delta, nullptr, mu);
}

}  // namespace dunlin::mds
