// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/edge_batch.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)

// g++ 12 warns of undefined values and sign conversions inside its own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <immintrin.h>

#include <algorithm>

#define DUNLIN_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))

namespace dunlin::forces {

namespace {

constexpr Offset lanes = 16, stream_ahead = 1024;  // edges; the hardware prefetches too late for such short rows

/// from - y_j of 16 edges.
struct Deltas {
    __m512 x, y, z;
};

/// (x, y) of a position as one value of 64 bits.
inline const double* pair_at(const float* y, Offset at) { return reinterpret_cast<const double*>(y + at); }

/// (x, y) of four targets. Where positions lie in the cache of a core, single loads take 0.6 of the time of a gather
/// instruction (Zen 4); elsewhere they take the same.
template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline __m256d four_pairs(const float* y, const Index* to) {
    const auto at = [=](int edge) DUNLIN_AVX512 { return pair_at(y, Offset{to[edge]} * D); };
    const __m128d low = _mm_loadh_pd(_mm_load_sd(at(0)), at(1)), high = _mm_loadh_pd(_mm_load_sd(at(2)), at(3));
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline __m512 eight_pairs(const float* y, const Index* to) {
    const __m512d low = _mm512_castpd256_pd512(four_pairs<D>(y, to));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, four_pairs<D>(y, to + 4), 1));
}

/// Loads x and y together, then separates them.
template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline Deltas deltas(const EdgeBatch& s, const Index* to) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512 low = eight_pairs<D>(s.y, to), high = eight_pairs<D>(s.y, to + 8);
    Deltas delta{};
    delta.x = _mm512_sub_ps(_mm512_set1_ps(s.from[0]), _mm512_permutex2var_ps(low, even, high));
    delta.y = _mm512_sub_ps(_mm512_set1_ps(s.from[1]), _mm512_permutex2var_ps(low, odd, high));
    if (D == 3) {
        const __m512i target = _mm512_loadu_si512(to), at = _mm512_add_epi32(target, _mm512_add_epi32(target, target));
        delta.z = _mm512_sub_ps(_mm512_set1_ps(s.from[2]), _mm512_i32gather_ps(at, s.y + 2, 4));
    }
    return delta;
}

/// StudentT::attraction: p / (1 + r2) by the processor's reciprocal estimate and one Newton step; error of at most 2
/// units in the last place.
template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline __m512 weights(const Deltas& delta, __m512 p) {
    const __m512 one = _mm512_set1_ps(1);
    __m512 r = _mm512_fmadd_ps(delta.y, delta.y, _mm512_fmadd_ps(delta.x, delta.x, one));
    if (D == 3) r = _mm512_fmadd_ps(delta.z, delta.z, r);
    const __m512 q = _mm512_rcp14_ps(r), weight = _mm512_mul_ps(p, q);
    return _mm512_fmadd_ps(weight, _mm512_fnmadd_ps(r, q, one), weight);
}

template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline void attract_edges(const EdgeBatch& s, Offset begin, Offset end,
                                                               double* sum) {
    __m512 x = _mm512_setzero_ps(), y = x, z = x;
    for (Offset e = begin; e < end; e += lanes) {
        const bool whole = end - e >= lanes;
        const auto mask = static_cast<__mmask16>(whole ? 0xffffU : (1U << (end - e)) - 1);
        const __m512 p = _mm512_maskz_loadu_ps(mask, s.weights + e);
        alignas(64) Index rest[lanes];
        if (!whole) _mm512_store_si512(rest, _mm512_maskz_loadu_epi32(mask, s.targets + e));
        _mm_prefetch(reinterpret_cast<const char*>(s.targets + e + stream_ahead), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(s.weights + e + stream_ahead), _MM_HINT_T0);
        const Deltas delta = deltas<D>(s, whole ? s.targets + e : rest);
        const __m512 weight = weights<D>(delta, p);
        x = _mm512_fmadd_ps(weight, delta.x, x);
        y = _mm512_fmadd_ps(weight, delta.y, y);
        if (D == 3) z = _mm512_fmadd_ps(weight, delta.z, z);
    }
    sum[0] += static_cast<double>(_mm512_reduce_add_ps(x));
    sum[1] += static_cast<double>(_mm512_reduce_add_ps(y));
    if (D == 3) sum[2] += static_cast<double>(_mm512_reduce_add_ps(z));
}

template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline void attract_in_chunks(const EdgeBatch& s, double* sum) {
    for (Offset begin = 0; begin < s.size; begin += float_terms) {
        attract_edges<D>(s, begin, std::min(s.size, begin + float_terms), sum);
    }
}

}  // namespace

template <>
DUNLIN_AVX512 void attract_batch_avx512<2>(const EdgeBatch& batch, double* sum) {
    attract_in_chunks<2>(batch, sum);
}
template <>
DUNLIN_AVX512 void attract_batch_avx512<3>(const EdgeBatch& batch, double* sum) {
    attract_in_chunks<3>(batch, sum);
}

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

}  // namespace dunlin::forces

#else

namespace dunlin::forces {

template <>
void attract_batch_avx512<2>(const EdgeBatch& batch, double* sum) {
    attract_batch<2>(batch, sum);
}
template <>
void attract_batch_avx512<3>(const EdgeBatch& batch, double* sum) {
    attract_batch<3>(batch, sum);
}

bool has_avx512() { return false; }

}  // namespace dunlin::forces

#endif
