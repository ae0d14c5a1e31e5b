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

/// Gathers (x, y) as one 64-bit value, then separates x from y.
template <int D>
DUNLIN_AVX512 [[gnu::always_inline]] inline Deltas deltas(const EdgeBatch& s, __m512i to) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    constexpr int bytes = D == 2 ? 8 : 4;
    if (D == 3) to = _mm512_add_epi32(to, _mm512_add_epi32(to, to));
    const __m512 low = _mm512_castsi512_ps(_mm512_i32gather_epi64(_mm512_castsi512_si256(to), s.y, bytes));
    const __m512 high = _mm512_castsi512_ps(_mm512_i32gather_epi64(_mm512_extracti64x4_epi64(to, 1), s.y, bytes));
    Deltas delta{};
    delta.x = _mm512_sub_ps(_mm512_set1_ps(s.from[0]), _mm512_permutex2var_ps(low, even, high));
    delta.y = _mm512_sub_ps(_mm512_set1_ps(s.from[1]), _mm512_permutex2var_ps(low, odd, high));
    if (D == 3) delta.z = _mm512_sub_ps(_mm512_set1_ps(s.from[2]), _mm512_i32gather_ps(to, s.y + 2, 4));
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
        const auto mask = static_cast<__mmask16>(end - e >= lanes ? 0xffffU : (1U << (end - e)) - 1);
        const __m512i to = _mm512_maskz_loadu_epi32(mask, s.targets + e);
        const __m512 p = _mm512_maskz_loadu_ps(mask, s.weights + e);
        _mm_prefetch(reinterpret_cast<const char*>(s.targets + e + stream_ahead), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(s.weights + e + stream_ahead), _MM_HINT_T0);
        const Deltas delta = deltas<D>(s, to);
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
