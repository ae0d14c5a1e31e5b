// SPDX-License-Identifier: Apache-2.0
#include "distance/tile_variants.hpp"

#if defined(DUNLIN_TILE_AVX512)

// g++ 12 warns of undefined registers inside its own intrinsics (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstring>

#define DUNLIN_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define DUNLIN_AVX512_INLINE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"), always_inline)) inline

namespace dunlin::distance::avx512 {

bool available() {
    static const bool found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    return found;
}

namespace {

/// Sums of one row and three panels. Eight named variables stay in registers over all dimensions; g++ would keep an
/// array in memory.
struct PanelSums {
    __m512i a, b, c;
};
struct FloatSums {
    __m512 a, b, c;
};

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

namespace {

/// sums += the four products of each lane (vpdpbusd). With the intrinsic g++ 12 copies the sums, at half the speed.
DUNLIN_AVX512_INLINE void add_products(__m512i& sums, __m512i x, __m512i y) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(y));
}

DUNLIN_AVX512_INLINE void add_dots(PanelSums& sums, const std::int8_t* row, __m512i a, __m512i b, __m512i c) {
    const __m512i y = four_bytes(row);
    add_products(sums.a, a, y);
    add_products(sums.b, b, y);
    add_products(sums.c, c, y);
}

DUNLIN_AVX512_INLINE std::uint64_t at_least(const PanelSums& sums, std::int32_t least) {
    const __m512i bound = _mm512_set1_epi32(least);
    return joined(_mm512_cmpge_epi32_mask(sums.a, bound), _mm512_cmpge_epi32_mask(sums.b, bound),
                  _mm512_cmpge_epi32_mask(sums.c, bound));
}

DUNLIN_AVX512_INLINE __m512i negative(const std::int32_t* at) {
    return _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_loadu_si512(at));
}

/// Masks of the columns of three panels that pass, for each of 8 rows.
DUNLIN_AVX512 __attribute__((noinline)) void dot_panels(const std::uint8_t* panel, const std::int32_t* start,
                                                        const std::int8_t* row, const std::int32_t* least, Offset dims,
                                                        std::uint64_t* passed) {
    const Offset stride = lanes * dims;  // bytes between panels
    const PanelSums none{negative(start), negative(start + lanes), negative(start + Offset{2} * lanes)};
    PanelSums s0 = none, s1 = none, s2 = none, s3 = none, s4 = none, s5 = none, s6 = none, s7 = none;
    for (Offset c = 0; c < dims; c += 4, row += 4, panel += Offset{4} * lanes) {
        const __m512i a = _mm512_loadu_si512(panel);
        const __m512i b = _mm512_loadu_si512(panel + stride);
        const __m512i d = _mm512_loadu_si512(panel + 2 * stride);
        add_dots(s0, row, a, b, d);
        add_dots(s1, row + dims, a, b, d);
        add_dots(s2, row + 2 * dims, a, b, d);
        add_dots(s3, row + 3 * dims, a, b, d);
        add_dots(s4, row + 4 * dims, a, b, d);
        add_dots(s5, row + 5 * dims, a, b, d);
        add_dots(s6, row + 6 * dims, a, b, d);
        add_dots(s7, row + 7 * dims, a, b, d);
    }
    passed[0] = at_least(s0, least[0]);
    passed[1] = at_least(s1, least[1]);
    passed[2] = at_least(s2, least[2]);
    passed[3] = at_least(s3, least[3]);
    passed[4] = at_least(s4, least[4]);
    passed[5] = at_least(s5, least[5]);
    passed[6] = at_least(s6, least[6]);
    passed[7] = at_least(s7, least[7]);
}

}  // namespace

DUNLIN_AVX512 void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts,
                             const std::int8_t* rows, const std::int32_t* least, Hits& hits) {
    for (int column = 0; column < block.columns; column += group_columns) {
        std::uint64_t passed[group_rows];
        dot_panels(block.panels + Offset{column} * block.dims, starts + column, rows, least, block.dims, passed);
        for (int r = 0; r < group_rows; ++r) append(hits, r, column, passed[r]);
    }
}

// vpsadbw sums the differences of 8 bytes into 64 bits, so a vector holds 8 columns and a panel of 16 is two vectors;
// 4 rows x 3 panels x 2 sums stay in registers.
DUNLIN_AVX512 void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows,
                                 const std::int32_t* most, Hits& hits) {
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
                for (int r = 0; r < together; ++r) y[r] = eight_bytes(rows + Offset{first + r} * block.dims + c);
                for (int v = 0; v < vectors; ++v) {
                    const __m512i x = _mm512_loadu_si512(panel + Offset{v / 2} * lanes * block.dims +
                                                         Offset{lanes} * c + Offset{64} * (v & 1));
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
DUNLIN_AVX512_INLINE void scan_floats(const ColumnBlock<float>& block, const float* rows, const float* most,
                                      Hits& hits) {
    for (int column = 0; column < block.columns; column += group_columns) {
        const float* panel = block.panels + Offset{column} * block.dims;
        __m512 sums[group_rows][group_panels];
        for (int p = 0; p < group_panels; ++p) {
            for (auto& row : sums) row[p] = _mm512_setzero_ps();
        }
        for (int c = 0; c < block.dims; ++c) {
            for (int p = 0; p < group_panels; ++p) {
                const __m512 x = _mm512_loadu_ps(panel + Offset{p} * lanes * block.dims + Offset{lanes} * c);
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

DUNLIN_AVX512 void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    scan_floats<true>(block, rows, most, hits);
}

DUNLIN_AVX512 void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    scan_floats<false>(block, rows, most, hits);
}

namespace {

/// Dot products of y with four rows at once.
DUNLIN_AVX512_INLINE void dot_four(const std::uint8_t* const* x, const std::int8_t* y, Offset dims, std::int64_t* out) {
    __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0;
    for (Offset c = 0; c < dims; c += dot_columns) {
        const __m512i v = _mm512_loadu_si512(y + c);
        add_products(s0, _mm512_loadu_si512(x[0] + c), v);
        add_products(s1, _mm512_loadu_si512(x[1] + c), v);
        add_products(s2, _mm512_loadu_si512(x[2] + c), v);
        add_products(s3, _mm512_loadu_si512(x[3] + c), v);
    }
    out[0] = _mm512_reduce_add_epi32(s0);
    out[1] = _mm512_reduce_add_epi32(s1);
    out[2] = _mm512_reduce_add_epi32(s2);
    out[3] = _mm512_reduce_add_epi32(s3);
}

}  // namespace

DUNLIN_AVX512 void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns,
                        const std::int8_t* y, std::int64_t* out) {
    for (std::size_t i = 0; i < columns.size(); i += 4) {
        const std::uint8_t* x[4];
        for (std::size_t j = 0; j < 4; ++j) x[j] = base + Offset{columns[std::min(i + j, columns.size() - 1)]} * dims;
        std::int64_t four[4];
        dot_four(x, y, dims, four);
        for (std::size_t j = 0; j < 4 && i + j < columns.size(); ++j) out[i + j] = four[j];
    }
}

}  // namespace dunlin::distance::avx512

#endif
