// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"

namespace dunlin::mds {

namespace {

constexpr Index run = 256;  ///< terms added in float32

[[gnu::always_inline]] inline void squared_distances(const Meeting& m, Index begin, Index count, float* d2) {
    for (Index j = 0; j < count; ++j) d2[j] = 0;
    for (int c = 0; c < m.dim; ++c) {
        const float *other = m.other[c] + begin, place = m.place[c];
        for (Index j = 0; j < count; ++j) d2[j] += (place - other[j]) * (place - other[j]);
    }
}

/// Turns d2 into the pairs' strengths; returns the sum of w (d - delta)^2.
template <bool weighted>
[[gnu::always_inline]] inline float strengths(const Meeting& m, Index begin, Index count, float* d2) {
    const float *delta = m.delta + begin, *weight = weighted ? m.weight + begin : nullptr;
    float stress = 0;
    for (Index j = 0; j < count; ++j) {
        const Pull pull = pull_of(d2[j], delta[j], weighted ? weight[j] : 1.0F);
        stress += pull.error2;
        d2[j] = pull.strength;
    }
    return stress;
}

/// Sixteen sums side by side, so that they are vectors' lanes; what is left over goes to the first.
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

DUNLIN_CLONES void to_dissimilarities(float* sums, Index count, Law law, float unit) {
    if (law == Law::root) {
        for (Index c = 0; c < count; ++c) sums[c] = dissimilarity(sums[c], Law::root, unit);
    } else {
        for (Index c = 0; c < count; ++c) sums[c] = dissimilarity(sums[c], law, unit);
    }
}

DUNLIN_CLONES double pull(const Meeting& m, double* force) {
    alignas(64) float strength[run];
    double stress = 0;
    for (Index begin = 0; begin < m.count; begin += run) {
        const Index count = std::min(run, m.count - begin);
        squared_distances(m, begin, count, strength);
        const bool weighted = m.weight != nullptr;
        stress += static_cast<double>(weighted ? strengths<true>(m, begin, count, strength)
                                               : strengths<false>(m, begin, count, strength));
        for (int c = 0; c < m.dim; ++c) {
            const float *other = m.other[c] + begin, place = m.place[c];
            float sum = 0;
            for (Index j = 0; j < count; ++j) sum += strength[j] * (place - other[j]);
            force[c] += static_cast<double>(sum);
        }
    }
    return stress;
}

DUNLIN_CLONES StressSums stress_sums(const Meeting& m) {
    alignas(64) float d2[run];
    StressSums total;
    for (Index begin = 0; begin < m.count; begin += run) {
        const Index count = std::min(run, m.count - begin);
        squared_distances(m, begin, count, d2);
        const float* delta = m.delta + begin;
        float errors = 0, squares = 0, products = 0, deltas = 0;
        for (Index j = 0; j < count; ++j) {
            const StressTerms terms = stress_terms(d2[j], delta[j]);
            errors += terms.error2;
            squares += terms.d2;
            products += terms.d_error;
            deltas += terms.delta2;
        }
        total += {static_cast<double>(errors), static_cast<double>(squares), static_cast<double>(products),
                  static_cast<double>(deltas)};
    }
    return total;
}

DUNLIN_CLONES double weight_of(const Meeting& m) {
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
