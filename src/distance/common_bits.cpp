// SPDX-License-Identifier: Apache-2.0
#include "distance/common_bits.hpp"

#include <bit>

#if defined(__x86_64__) && defined(__GNUC__)
// g++ 12 warns of undefined registers inside its own intrinsics (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define DUNLIN_COUNTS_BITS 1
#define DUNLIN_POPCNT __attribute__((target("popcnt")))
#define DUNLIN_VPOPCNT __attribute__((target("avx512f,avx512vpopcntdq,popcnt")))
#endif

namespace dunlin::distance {

namespace {

Offset count_plain(const std::uint64_t* x, const std::uint64_t* y, Index words) {
    Offset count = 0;
    for (Index w = 0; w < words; ++w) count += std::popcount(x[w] & y[w]);
    return count;
}

/// One panel and its queries. A macro, because a template would not take over the target of its caller.
#define DUNLIN_COUNT_PANEL(count_of)                                                                   \
    for (Index q = 0; q < bit_lanes; ++q)                                                              \
        for (Index l = 0; l < bit_lanes; ++l) {                                                        \
            std::uint64_t sum = 0;                                                                     \
            for (Index w = 0; w < words; ++w)                                                          \
                sum += static_cast<std::uint64_t>(count_of(queries[q][w] & panel[w * bit_lanes + l])); \
            counts[q * bit_lanes + l] = sum;                                                           \
        }

void panel_plain(const std::uint64_t* panel, const std::uint64_t* const* queries, Index words,
                 std::uint64_t* counts){DUNLIN_COUNT_PANEL(std::popcount)}
#if defined(DUNLIN_COUNTS_BITS)

DUNLIN_POPCNT void panel_by_words(const std::uint64_t* panel, const std::uint64_t* const* queries, Index words,
                                  std::uint64_t* counts){DUNLIN_COUNT_PANEL(__builtin_popcountll)}

DUNLIN_VPOPCNT void panel_by_lanes(const std::uint64_t* panel, const std::uint64_t* const* queries, Index words,
                                   std::uint64_t* counts) {
    __m512i sums[bit_lanes];
    for (__m512i& sum : sums) sum = _mm512_setzero_si512();
    for (Index w = 0; w < words; ++w) {
        const __m512i rows = _mm512_loadu_si512(panel + Offset{w} * bit_lanes);
#pragma GCC unroll 8
        for (Index q = 0; q < bit_lanes; ++q) {
            const __m512i query = _mm512_set1_epi64(static_cast<long long>(queries[q][w]));
            sums[q] = _mm512_add_epi64(sums[q], _mm512_popcnt_epi64(_mm512_and_si512(rows, query)));
        }
    }
#pragma GCC unroll 8
    for (Index q = 0; q < bit_lanes; ++q) _mm512_storeu_si512(counts + q * bit_lanes, sums[q]);
}

DUNLIN_POPCNT Offset count_by_words(const std::uint64_t* x, const std::uint64_t* y, Index words) {
    Offset count = 0;
    for (Index w = 0; w < words; ++w) count += __builtin_popcountll(x[w] & y[w]);
    return count;
}

DUNLIN_VPOPCNT Offset count_by_lanes(const std::uint64_t* x, const std::uint64_t* y, Index words) {
    __m512i sum = _mm512_setzero_si512();
    Index w = 0;
    for (; w + 8 <= words; w += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(x + w), _mm512_loadu_si512(y + w));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    if (w < words) {
        const auto rest = static_cast<__mmask8>((1U << (words - w)) - 1);
        const __m512i both =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, x + w), _mm512_maskz_loadu_epi64(rest, y + w));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    return _mm512_reduce_add_epi64(sum);
}

#endif

using Count = Offset (*)(const std::uint64_t*, const std::uint64_t*, Index);

/// The count that this processor does fastest.
Count fastest() {
#if defined(DUNLIN_COUNTS_BITS)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) return count_by_lanes;
    if (__builtin_cpu_supports("popcnt")) return count_by_words;
#endif
    return count_plain;
}

using CountPanel = void (*)(const std::uint64_t*, const std::uint64_t* const*, Index, std::uint64_t*);

CountPanel fastest_panel() {
#if defined(DUNLIN_COUNTS_BITS)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) return panel_by_lanes;
    if (__builtin_cpu_supports("popcnt")) return panel_by_words;
#endif
    return panel_plain;
}

Count count() {
    static const Count found = fastest();
    return found;
}

}  // namespace

Offset common_bits(const std::uint64_t* x, const std::uint64_t* y, Index words) { return count()(x, y, words); }

void common_bits(const std::uint64_t* panel, const std::uint64_t* const* queries, Index words, std::uint64_t* counts) {
    static const CountPanel found = fastest_panel();
    found(panel, queries, words, counts);
}

void common_bits(const std::uint64_t* x, const std::uint64_t* rows, Index words, std::span<const Index> others,
                 double* out) {
    const Count of = count();
    for (const Index other : others) *out++ = static_cast<double>(of(x, rows + Offset{other} * words, words));
}

}  // namespace dunlin::distance
