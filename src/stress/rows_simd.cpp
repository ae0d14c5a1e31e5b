// SPDX-License-Identifier: Apache-2.0
#include "stress/rows.hpp"

#include <algorithm>

#include "device/clones.hpp"
#include "math/unrolled.hpp"

namespace dunlin::stress {

namespace {

constexpr Index run = 256;  ///< terms added in float32

[[gnu::always_inline]] inline void squared_distances(const PairRow& row, Index begin, Index count, float* d2) {
    for (Index j = 0; j < count; ++j) d2[j] = 0;
    for (int c = 0; c < row.dim; ++c) {
        const float *other = row.other[c] + begin, own = row.own[c];
        for (Index j = 0; j < count; ++j) d2[j] += (own - other[j]) * (own - other[j]);
    }
}

/// add_force of a run, in any number of dimensions: one pass each for distances, strengths and every axis.
template <bool weighted>
[[gnu::always_inline]] inline float add_force_of_run(const PairRow& row, Index begin, Index count, double* force) {
    alignas(64) float strengths[run];
    const float *delta = row.delta + begin, *weight = weighted ? row.weight + begin : nullptr;
    float error2 = 0;
    squared_distances(row, begin, count, strengths);
    for (Index j = 0; j < count; ++j) {
        const MajorizationTerm term = majorization_term(strengths[j], delta[j], weighted ? weight[j] : 1.0F);
        error2 += term.error2;
        strengths[j] = term.strength;
    }
    for (int c = 0; c < row.dim; ++c) {
        const float *other = row.other[c] + begin, own = row.own[c];
        float sum = 0;
        for (Index j = 0; j < count; ++j) sum += strengths[j] * (own - other[j]);
        force[c] += static_cast<double>(sum);
    }
    return error2;
}

/// add_force_and_weight of a run in D dimensions, in one pass.
template <int D>
[[gnu::always_inline]] inline float add_force_and_weight_of_run(const PairRow& row, Index begin, Index count,
                                                                double* force) {
    using math::unrolled;
    const float *delta = row.delta + begin, *weight = row.weight + begin, *other[D];
    float own[D], sum[D] = {}, total = 0;
    unrolled<D>([&](std::size_t c) DUNLIN_INLINE {
        own[c] = row.own[c];
        other[c] = row.other[c] + begin;
    });
    for (Index j = 0; j < count; ++j) {
        float apart[D], d2 = 0;
        unrolled<D>([&](std::size_t c) DUNLIN_INLINE {
            apart[c] = own[c] - other[c][j];
            d2 += apart[c] * apart[c];
        });
        const float pull = strength(inverse_distance(d2), delta[j], weight[j]);
        total += weight[j];
        unrolled<D>([&](std::size_t c) DUNLIN_INLINE { sum[c] += pull * apart[c]; });
    }
    unrolled<D>([&](std::size_t c) DUNLIN_INLINE { force[c] += static_cast<double>(sum[c]); });
    return total;
}

template <bool weighted>
[[gnu::always_inline]] inline double add_forces(const PairRow& row, double* force) {
    double error2 = 0;
    for (Index begin = 0; begin < row.count; begin += run)
        error2 += static_cast<double>(add_force_of_run<weighted>(row, begin, std::min(run, row.count - begin), force));
    return error2;
}

template <int D>
[[gnu::always_inline]] inline double add_forces_and_weights(const PairRow& row, double* force) {
    double weight = 0;
    for (Index begin = 0; begin < row.count; begin += run)
        weight +=
            static_cast<double>(add_force_and_weight_of_run<D>(row, begin, std::min(run, row.count - begin), force));
    return weight;
}

}  // namespace

DUNLIN_CLONES double add_force(const PairRow& row, double* force) {
    return row.weight != nullptr ? add_forces<true>(row, force) : add_forces<false>(row, force);
}

DUNLIN_CLONES double add_force_and_weight(const PairRow& row, double* force) {
    if (row.dim == 1) return add_forces_and_weights<1>(row, force);
    return row.dim == 2 ? add_forces_and_weights<2>(row, force) : add_forces_and_weights<3>(row, force);
}

DUNLIN_CLONES StressSums stress_sums(const PairRow& row) {
    alignas(64) float d2[run];
    StressSums total;
    for (Index begin = 0; begin < row.count; begin += run) {
        const Index count = std::min(run, row.count - begin);
        squared_distances(row, begin, count, d2);
        const float* delta = row.delta + begin;
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

}  // namespace dunlin::stress
