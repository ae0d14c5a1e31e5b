// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"

namespace dunlin::mds {

namespace {

constexpr Index run = 256;  ///< terms added in float32

/// Sixteen partial sums, the lanes of vectors; the remainder goes to the first.
template <bool manhattan>
[[gnu::always_inline]] inline float lanes_between(const float* a, const float* b, Index count) {
    constexpr Index lanes = 16;
    float sums[lanes] = {};
    Index k = 0;
    const auto term = [](float apart) { return manhattan ? std::abs(apart) : apart * apart; };
    for (; k + lanes <= count; k += lanes) {
        for (Index lane = 0; lane < lanes; ++lane) sums[lane] += term(a[k + lane] - b[k + lane]);
    }
    for (; k < count; ++k) sums[0] += term(a[k] - b[k]);
    float sum = 0;
    for (const float part : sums) sum += part;
    return sum;
}

}  // namespace

DUNLIN_CLONES float sum_between(const float* a, const float* b, Index count, bool manhattan) {
    return manhattan ? lanes_between<true>(a, b, count) : lanes_between<false>(a, b, count);
}

DUNLIN_CLONES void to_dissimilarities(float* sums, Index count, DissimilarityKind kind, float unit) {
    if (kind == DissimilarityKind::root) {
        for (Index c = 0; c < count; ++c) sums[c] = dissimilarity(sums[c], DissimilarityKind::root, unit);
    } else {
        for (Index c = 0; c < count; ++c) sums[c] = dissimilarity(sums[c], kind, unit);
    }
}

DUNLIN_CLONES double weight_of(const stress::PairRow& m) {
    double total = 0;
    for (Index begin = 0; begin < m.count; begin += run) {
        const Index count = std::min(run, m.count - begin);
        const float *delta = m.delta + begin, *weight = m.weight == nullptr ? nullptr : m.weight + begin;
        float sum = 0;
        for (Index j = 0; j < count; ++j) sum += delta[j] >= 0 ? (weight == nullptr ? 1.0F : weight[j]) : 0.0F;
        total += static_cast<double>(sum);
    }
    return total;
}

}  // namespace dunlin::mds
