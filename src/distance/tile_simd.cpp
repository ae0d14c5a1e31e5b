// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "device/clones.hpp"
#include "distance/tile_variants.hpp"

namespace dunlin::distance {

namespace {

template <class Sum, class Passes>
inline void append(Hits& hits, int row, int first_column, const Sum* sums, const Passes& passes) {
    for (int lane = 0; lane < lanes; ++lane) {
        hits.columns[row][hits.count[row]] = static_cast<std::uint16_t>(first_column + lane);
        hits.count[row] += passes(sums[lane]) ? 1 : 0;
    }
}

/// Sums term(x, y) over the dimensions of bytes, `cell` at a time.
template <int cell, class Row, class Term>
inline void sum_panel(const std::uint8_t* panel, const Row* row, int dims, const Term& term, std::int32_t* sums) {
    for (int c = 0; c < dims; c += cell) {
        for (int lane = 0; lane < lanes; ++lane) {
            for (int i = 0; i < cell; ++i) sums[lane] += term(int{panel[lanes * c + cell * lane + i]}, int{row[c + i]});
        }
    }
}

template <class Term>
inline void sum_panel(const float* panel, const float* row, int dims, const Term& term, float* sums) {
    for (int c = 0; c < dims; ++c) {
        for (int lane = 0; lane < lanes; ++lane) sums[lane] += term(panel[lanes * c + lane] - row[c]);
    }
}

}  // namespace

namespace plain {

DUNLIN_CLONES
void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits) {
    for (int column = 0; column < block.columns; column += lanes) {
        for (int r = 0; r < group_rows; ++r) {
            std::int32_t sums[lanes];
            for (int lane = 0; lane < lanes; ++lane) sums[lane] = -starts[column + lane];
            sum_panel<4>(
                block.panels + Offset{column} * block.dims, rows + Offset{r} * block.dims, block.dims,
                [](int x, int y) { return x * y; }, sums);
            append(hits, r, column, sums, [&](std::int32_t sum) { return sum >= least[r]; });
        }
    }
}

DUNLIN_CLONES
void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                   Hits& hits) {
    for (int column = 0; column < block.columns; column += lanes) {
        for (int r = 0; r < group_rows; ++r) {
            std::int32_t sums[lanes] = {};
            sum_panel<8>(
                block.panels + Offset{column} * block.dims, rows + Offset{r} * block.dims, block.dims,
                [](int x, int y) { return std::abs(x - y); }, sums);
            append(hits, r, column, sums, [&](std::int32_t sum) { return sum <= most[r]; });
        }
    }
}

DUNLIN_CLONES
void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    for (int column = 0; column < block.columns; column += lanes) {
        for (int r = 0; r < group_rows; ++r) {
            float sums[lanes] = {};
            sum_panel(
                block.panels + Offset{column} * block.dims, rows + Offset{r} * block.dims, block.dims,
                [](float d) { return d * d; }, sums);
            append(hits, r, column, sums, [&](float sum) { return sum <= most[r]; });
        }
    }
}

DUNLIN_CLONES
void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    for (int column = 0; column < block.columns; column += lanes) {
        for (int r = 0; r < group_rows; ++r) {
            float sums[lanes] = {};
            sum_panel(
                block.panels + Offset{column} * block.dims, rows + Offset{r} * block.dims, block.dims,
                [](float d) { return std::abs(d); }, sums);
            append(hits, r, column, sums, [&](float sum) { return sum <= most[r]; });
        }
    }
}

DUNLIN_CLONES
static std::int32_t dot(const std::uint8_t* x, const std::int8_t* y, int count) {
    std::int32_t sum = 0;
    for (int c = 0; c < count; ++c) sum += int{x[c]} * int{y[c]};
    return sum;
}

void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out) {
    for (const std::uint16_t column : columns) *out++ = dot(base + Offset{column} * dims, y, dims);
}

}  // namespace plain

#if defined(DUNLIN_TILE_AVX512)
#define DUNLIN_TILE(name, ...) \
    if (avx512::available()) return avx512::name(__VA_ARGS__)
#else
#define DUNLIN_TILE(name, ...)
#endif

void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits) {
    DUNLIN_TILE(scan_dots, block, starts, rows, least, hits);
    plain::scan_dots(block, starts, rows, least, hits);
}

void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                   Hits& hits) {
    DUNLIN_TILE(scan_absolute, block, rows, most, hits);
    plain::scan_absolute(block, rows, most, hits);
}

void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    DUNLIN_TILE(scan_squares, block, rows, most, hits);
    plain::scan_squares(block, rows, most, hits);
}

void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits) {
    DUNLIN_TILE(scan_absolute, block, rows, most, hits);
    plain::scan_absolute(block, rows, most, hits);
}

void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out) {
    DUNLIN_TILE(dots, base, dims, columns, y, out);
    plain::dots(base, dims, columns, y, out);
}

DUNLIN_CLONES
ByteSums sums_of(const std::uint8_t* row, Index dims) {
    ByteSums sums;
    for (Index c = 0; c < dims; ++c) {
        const int v = int{row[c]} - 128;
        sums.sum += v;
        sums.squares += v * v;
    }
    return sums;
}

DUNLIN_CLONES
void to_signed(const std::uint8_t* row, Index dims, std::int8_t* out) {
    for (Index c = 0; c < dims; ++c) out[c] = static_cast<std::int8_t>(int{row[c]} - 128);
}

}  // namespace dunlin::distance
