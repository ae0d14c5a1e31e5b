#include "mds/kernels.hpp"

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

/// Turns d2 into w (delta / d - 1), nought where delta is missing or d is nought; returns the sum of w (d - delta)^2.
template <bool weighted>
[[gnu::always_inline]] inline float strengths(const Meeting& m, Index begin, Index count, float* d2) {
    const float *delta = m.delta + begin, *weight = weighted ? m.weight + begin : nullptr;
    float stress = 0;
    for (Index j = 0; j < count; ++j) {
        const float inverse = d2[j] > 0 ? 1.0F / std::sqrt(d2[j]) : 0.0F;
        const float error = d2[j] * inverse - delta[j];
        const float w = weighted ? weight[j] : 1.0F;
        const bool known = delta[j] >= 0;
        stress += known ? w * error * error : 0.0F;
        d2[j] = known ? w * (delta[j] * inverse - 1.0F) : 0.0F;
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
        for (Index c = 0; c < count; ++c) sums[c] = unit * std::sqrt(sums[c]);
    } else {
        const float factor = law == Law::half ? 0.5F : unit;
        for (Index c = 0; c < count; ++c) sums[c] *= factor;
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
            const bool known = delta[j] >= 0;
            const float d = std::sqrt(d2[j]), error = d - delta[j];
            errors += known ? error * error : 0.0F;
            squares += known ? d2[j] : 0.0F;
            products += known ? d * error : 0.0F;
            deltas += known ? delta[j] * delta[j] : 0.0F;
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
