// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/clones.hpp"
#include "forces/attraction/edge_batch.hpp"
#include "forces/law.hpp"
#include "forces/width.hpp"
#include "math/fast_log.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

/// step(d) of each axis: unrolled where rows are short, so that the loop over edges vectorizes.
template <int D, class Step>
[[gnu::always_inline]] inline void axes(const Step& step) {
    if constexpr (D <= 3) {
        math::unrolled<D>(step);
    } else {
        for (std::size_t d = 0; d < D; ++d) step(d);
    }
}

/// delta = from - y_j for edge e; returns |delta|^2.
template <int D>
[[gnu::always_inline]] inline float distance2(const EdgeBatch& s, Offset e, float* delta) {
    const float* to = s.y + Offset{s.targets[e]} * D;
    float r2 = 0;
    axes<D>([&](std::size_t d) { delta[d] = s.from[d] - to[d]; });
    axes<D>([&](std::size_t d) { r2 += delta[d] * delta[d]; });
    return r2;
}

/// weight_of(p, r2): factor of the displacement of an edge.
template <int D, class WeightOf>
[[gnu::always_inline]] inline void sum_edges(const EdgeBatch& s, double* sum, const WeightOf& weight_of) {
    for (Offset begin = 0; begin < s.size; begin += float_terms) {
        const Offset end = std::min(s.size, begin + float_terms);
        float part[D] = {};
        for (Offset e = begin; e < end; ++e) {
            float delta[D];
            const float weight = weight_of(s.weights[e], distance2<D>(s, e, delta));
            axes<D>([&](std::size_t d) { part[d] += weight * delta[d]; });
        }
        for (int d = 0; d < D; ++d) sum[d] += static_cast<double>(part[d]);
    }
}

template <int D>
[[gnu::always_inline]] inline void attract_edges(const EdgeBatch& s, double* sum) {
    sum_edges<D>(s, sum, [](float p, float r2) DUNLIN_INLINE { return StudentT::attraction(p, r2); });
}
template <int D>
[[gnu::always_inline]] inline void pull_edges(const EdgeBatch& s, double* sum) {
    sum_edges<D>(s, sum, [](float weight, float) DUNLIN_INLINE { return weight; });
}

/// Whether the cost is p log(surprise).
template <class Law>
concept Logarithmic = requires(const Law& law) { law.surprise(1.0F, 1.0F); };

template <int D, class Law>
[[gnu::always_inline]] inline double cost(const EdgeBatch& s, const Law law) {
    double sum = 0;
    for (Offset begin = 0; begin < s.size; begin += float_terms) {
        const Offset end = std::min(s.size, begin + float_terms);
        float part = 0;
        for (Offset e = begin; e < end; ++e) {
            float delta[D];
            part += law.cost(s.weights[e], distance2<D>(s, e, delta));
        }
        sum += static_cast<double>(part);
    }
    return sum;
}

template <int D, Logarithmic Law>
[[gnu::always_inline]] inline double cost(const EdgeBatch& s, const Law law) {
    constexpr Offset at_once = 256;
    float surprise[at_once];
    double sum = 0;
    for (Offset begin = 0; begin < s.size; begin += at_once) {
        const Offset size = std::min(s.size - begin, at_once);
        for (Offset e = 0; e < size; ++e) {
            float delta[D];
            surprise[e] = law.surprise(s.weights[begin + e], distance2<D>(s, begin + e, delta));
        }
        // Law::cost with a logarithm that vectorizes
        float part = 0;
        for (Offset e = 0; e < size; ++e) {
            const float p = s.weights[begin + e], term = p * math::fast_log(surprise[e]);
            part += p > 0 ? term : 0;
        }
        sum += static_cast<double>(part);
    }
    return sum;
}

template <int D>
[[gnu::always_inline]] inline void lengths(const EdgeBatch& s, float* r2) {
    const EdgeBatch same = s;
    DUNLIN_NO_OVERLAP
    for (Offset e = 0; e < same.size; ++e) {
        float delta[D];
        r2[e] = distance2<D>(same, e, delta);
    }
}

}  // namespace

template <>
DUNLIN_CLONES void attract_batch<2>(const EdgeBatch& batch, double* sum) {
    attract_edges<2>(batch, sum);
}
template <>
DUNLIN_CLONES void attract_batch<3>(const EdgeBatch& batch, double* sum) {
    attract_edges<3>(batch, sum);
}
template <>
DUNLIN_CLONES void pull_batch<2>(const EdgeBatch& batch, double* sum) {
    pull_edges<2>(batch, sum);
}
template <>
DUNLIN_CLONES void pull_batch<3>(const EdgeBatch& batch, double* sum) {
    pull_edges<3>(batch, sum);
}
template <>
DUNLIN_CLONES void squared_lengths<2>(const EdgeBatch& batch, float* r2) {
    lengths<2>(batch, r2);
}
template <>
DUNLIN_CLONES void squared_lengths<3>(const EdgeBatch& batch, float* r2) {
    lengths<3>(batch, r2);
}

#define DUNLIN_WIDE(D)                                                         \
    template <>                                                                \
    DUNLIN_CLONES void pull_batch<D>(const EdgeBatch& batch, double* sum) {    \
        pull_edges<D>(batch, sum);                                             \
    }                                                                          \
    template <>                                                                \
    DUNLIN_CLONES void squared_lengths<D>(const EdgeBatch& batch, float* r2) { \
        lengths<D>(batch, r2);                                                 \
    }
DUNLIN_WIDTHS(DUNLIN_WIDE)

#define DUNLIN_WEIGH(Law)                                                                   \
    template <>                                                                             \
    DUNLIN_CLONES void weigh(const Law& law, const float* p, float* weights, Offset size) { \
        const Law same = law; /* a copy: stores cannot change it */                         \
        DUNLIN_NO_OVERLAP                                                                   \
        for (Offset e = 0; e < size; ++e) weights[e] = same.attraction(p[e], weights[e]);   \
    }
DUNLIN_WEIGH(GeneralStudentT)
DUNLIN_WEIGH(Fuzzy)
DUNLIN_WEIGH(PairLoss)

#define DUNLIN_BATCH_COST(Law, D)                                                \
    template <>                                                                  \
    DUNLIN_CLONES double batch_cost<D>(const EdgeBatch& batch, const Law& law) { \
        return cost<D>(batch, law);                                              \
    }
DUNLIN_BATCH_COST(StudentT, 2)
DUNLIN_BATCH_COST(StudentT, 3)
DUNLIN_BATCH_COST(GeneralStudentT, 2)
DUNLIN_BATCH_COST(GeneralStudentT, 3)
DUNLIN_BATCH_COST(Fuzzy, 2)
DUNLIN_BATCH_COST(Fuzzy, 3)
DUNLIN_BATCH_COST(PairLoss, 2)
DUNLIN_BATCH_COST(PairLoss, 3)
#define DUNLIN_WIDE_COSTS(D) DUNLIN_BATCH_COST(Fuzzy, D) DUNLIN_BATCH_COST(PairLoss, D)
DUNLIN_WIDTHS(DUNLIN_WIDE_COSTS)

}  // namespace dunlin::forces
