#include "neighbors/tile_avx512.hpp"

#if defined(DUNLIN_TILE_AVX512)

// g++ 12 takes the undefined registers inside its own intrinsics for a mistake of ours (its bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstring>

#define DUNLIN_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define DUNLIN_AVX512_INLINE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"), always_inline)) inline

namespace dunlin::neighbors::avx512 {

bool available() {
    static const bool found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    return found;
}

namespace {

/// 24 sums of 16 columns each: 8 rows x 3 panels stay in registers over all dimensions.
using Sums = __m512i[group_rows][group_panels];

DUNLIN_AVX512_INLINE void append(Hits& hits, int row, int first_column, std::uint64_t passed) {
    int count = hits.count[row];
    while (passed != 0) {
        hits.columns[row][count++] = static_cast<std::uint16_t>(first_column + __builtin_ctzll(passed));
        passed &= passed - 1;
    }
    hits.count[row] = count;
}

DUNLIN_AVX512_INLINE std::uint64_t joined(__mmask16 a, __mmask16 b, __mmask16 c) {
    return std::uint64_t{a} | std::uint64_t{b} << 16 | std::uint64_t{c} << 32;
}

DUNLIN_AVX512_INLINE __m512i four_bytes(const void* at) {
    std::int32_t value;
    std::memcpy(&value, at, sizeof value);
    return _mm512_set1_epi32(value);
}

DUNLIN_AVX512_INLINE __m512i eight_bytes(const void* at) {
    std::int64_t value;
    std::memcpy(&value, at, sizeof value);
    return _mm512_set1_epi64(value);
}

}  // namespace

DUNLIN_AVX512 void scan_dots(const Block<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
                             const std::int32_t* least, Hits& hits) {
    const int stride = lanes * block.dims;  // bytes from panel to panel
    for (int column = 0; column < block.columns; column += group_columns) {
        const std::uint8_t* panel = block.panels + Offset{column} * block.dims;
        Sums sums;
        for (int p = 0; p < group_panels; ++p) {
            const __m512i start =
                _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_loadu_si512(starts + column + lanes * p));
            for (auto& row : sums) row[p] = start;
        }
        for (int c = 0; c < block.dims; c += 4) {
            const __m512i x0 = _mm512_loadu_si512(panel + lanes * c);
            const __m512i x1 = _mm512_loadu_si512(panel + stride + lanes * c);
            const __m512i x2 = _mm512_loadu_si512(panel + 2 * stride + lanes * c);
            for (int r = 0; r < group_rows; ++r) {
                const __m512i y = four_bytes(rows + r * block.dims + c);
                sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], x0, y);
                sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], x1, y);
                sums[r][2] = _mm512_dpbusd_epi32(sums[r][2], x2, y);
            }
        }
        for (int r = 0; r < group_rows; ++r) {
            const __m512i bound = _mm512_set1_epi32(least[r]);
            append(hits, r, column,
                   joined(_mm512_cmpge_epi32_mask(sums[r][0], bound), _mm512_cmpge_epi32_mask(sums[r][1], bound),
                          _mm512_cmpge_epi32_mask(sums[r][2], bound)));
        }
    }
}

// vpsadbw sums the differences of 8 bytes into 64 bits, so a vector holds 8 columns and a panel of 16 is two vectors;
// 4 rows x 3 panels x 2 sums stay in registers.
DUNLIN_AVX512 void scan_absolute(const Block<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                                 Hits& hits) {
    constexpr int together = group_rows / 2, vectors = 2 * group_panels;
    for (int column = 0; column < block.columns; column += group_columns) {
        for (int first = 0; first < group_rows; first += together) {
            const std::uint8_t* panel = block.panels + Offset{column} * block.dims;
            __m512i sums[together][vectors];
            for (auto& row : sums) {
                for (auto& sum : row) sum = _mm512_setzero_si512();
            }
            for (int c = 0; c < block.dims; c += 8) {
                __m512i y[together];
                for (int r = 0; r < together; ++r) y[r] = eight_bytes(rows + (first + r) * block.dims + c);
                for (int v = 0; v < vectors; ++v) {
                    const __m512i x =
                        _mm512_loadu_si512(panel + (v / 2) * lanes * block.dims + lanes * c + 64 * (v & 1));
                    for (int r = 0; r < together; ++r) {
                        sums[r][v] = _mm512_add_epi64(sums[r][v], _mm512_sad_epu8(x, y[r]));
                    }
                }
            }
            for (int r = 0; r < together; ++r) {
                const __m512i bound = _mm512_set1_epi64(most[first + r]);
                std::uint64_t passed = 0;
                for (int v = 0; v < vectors; ++v) {
                    passed |= std::uint64_t{_mm512_cmple_epi64_mask(sums[r][v], bound)} << (8 * v);
                }
                append(hits, first + r, column, passed);
            }
        }
    }
}

namespace {

template <bool squares>
DUNLIN_AVX512_INLINE void scan_floats(const Block<float>& block, const float* rows, const float* most, Hits& hits) {
    for (int column = 0; column < block.columns; column += group_columns) {
        const float* panel = block.panels + Offset{column} * block.dims;
        __m512 sums[group_rows][group_panels];
        for (int p = 0; p < group_panels; ++p) {
            for (auto& row : sums) row[p] = _mm512_setzero_ps();
        }
        for (int c = 0; c < block.dims; ++c) {
            for (int p = 0; p < group_panels; ++p) {
                const __m512 x = _mm512_loadu_ps(panel + p * lanes * block.dims + lanes * c);
                for (int r = 0; r < group_rows; ++r) {
                    const __m512 d = _mm512_sub_ps(x, _mm512_set1_ps(rows[r * block.dims + c]));
                    sums[r][p] =
                        squares ? _mm512_fmadd_ps(d, d, sums[r][p]) : _mm512_add_ps(sums[r][p], _mm512_abs_ps(d));
                }
            }
        }
        for (int r = 0; r < group_rows; ++r) {
            const __m512 bound = _mm512_set1_ps(most[r]);
            append(hits, r, column,
                   joined(_mm512_cmp_ps_mask(sums[r][0], bound, _CMP_LE_OQ),
                          _mm512_cmp_ps_mask(sums[r][1], bound, _CMP_LE_OQ),
                          _mm512_cmp_ps_mask(sums[r][2], bound, _CMP_LE_OQ)));
        }
    }
}

}  // namespace

DUNLIN_AVX512 void scan_squares(const Block<float>& block, const float* rows, const float* most, Hits& hits) {
    scan_floats<true>(block, rows, most, hits);
}

DUNLIN_AVX512 void scan_absolute(const Block<float>& block, const float* rows, const float* most, Hits& hits) {
    scan_floats<false>(block, rows, most, hits);
}

DUNLIN_AVX512 std::int32_t dot(const std::uint8_t* x, const std::int8_t* y, int count) {
    __m512i even = _mm512_setzero_si512(), odd = even;
    int c = 0;
    for (; c + 128 <= count; c += 128) {
        even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(x + c), _mm512_loadu_si512(y + c));
        odd = _mm512_dpbusd_epi32(odd, _mm512_loadu_si512(x + c + 64), _mm512_loadu_si512(y + c + 64));
    }
    if (c < count) even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(x + c), _mm512_loadu_si512(y + c));
    return _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
}

}  // namespace dunlin::neighbors::avx512

#endif
