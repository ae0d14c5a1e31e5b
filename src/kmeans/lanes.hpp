// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include <dunlin/types.hpp>

#include "device/lanes.hpp"
#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"

/// Shared by the SIMD loops: each lane of a vector has one row.
namespace dunlin::kmeans {

template <class Lanes>
using IntLanes = decltype(Lanes{} < Lanes{});

/// Vectors processed together: enough independent sums to hide the latency of an addition.
constexpr int vectors_abreast = 4;

template <int Cols>
DUNLIN_INLINE void transpose_columns(const float* points, float* columns) {
    for (Index r = 0; r < tile_rows; ++r) {
        for (Index c = 0; c < Cols; ++c) columns[c * tile_rows + r] = points[r * Cols + c];
    }
}

/// Exchanges the lanes of two vectors whose numbers differ in bit `distance`: one of the log2(lanes) steps of a
/// transpose in registers (Eklundh 1972).
template <int distance, class Lanes, int... lane>
DUNLIN_INLINE void exchange_lanes(Lanes& a, Lanes& b, std::integer_sequence<int, lane...>) {
    constexpr int lanes = sizeof...(lane);
    const Lanes first = __builtin_shufflevector(a, b, ((lane & distance) == 0 ? lane : lanes + lane - distance)...);
    b = __builtin_shufflevector(a, b, ((lane & distance) == 0 ? lane + distance : lanes + lane)...);
    a = first;
}

template <int distance, class Lanes>
DUNLIN_INLINE void exchange_all(Lanes* square) {
    constexpr int lanes = device::lanes_of<Lanes>;
    for (int i = 0; i < lanes; ++i) {
        if ((i & distance) == 0)
            exchange_lanes<distance>(square[i], square[i + distance], std::make_integer_sequence<int, lanes>());
    }
}

/// Transposes a square of as many rows and columns as a vector has lanes. Prefetches the same part of the next tile,
/// whose rows are too many streams for hardware prefetchers.
template <class Lanes>
DUNLIN_INLINE void transpose_square(const float* const* rows, Offset column, Offset to_next_tile, float* columns) {
    constexpr int lanes = device::lanes_of<Lanes>;
    Lanes square[lanes];
    for (int r = 0; r < lanes; ++r) {
        std::memcpy(square + r, rows[r] + column, sizeof(Lanes));
        __builtin_prefetch(rows[r] + column + to_next_tile);
    }
    exchange_all<1>(square);
    exchange_all<2>(square);
    if constexpr (lanes > 4) exchange_all<4>(square);
    if constexpr (lanes > 8) exchange_all<8>(square);
    for (int c = 0; c < lanes; ++c) std::memcpy(columns + (column + c) * tile_rows, square + c, sizeof(Lanes));
}

/// Transposes up to tile_rows rows into columns of tile_rows values; missing rows repeat the first.
template <class Lanes>
DUNLIN_INLINE void transpose(const float* points, Index rows, Index cols, float* columns) {
    if (cols == 1 && rows == tile_rows) return transpose_columns<1>(points, columns);
    if (cols == 2 && rows == tile_rows) return transpose_columns<2>(points, columns);
    if (cols == 3 && rows == tile_rows) return transpose_columns<3>(points, columns);
    if (cols == 4 && rows == tile_rows) return transpose_columns<4>(points, columns);
    constexpr int lanes = device::lanes_of<Lanes>;
    const Index whole = cols / lanes * lanes;
    for (Index first = 0; first < tile_rows; first += lanes) {
        const float* from[lanes];
        for (Index r = 0; r < lanes; ++r) from[r] = points + Offset{first + r < rows ? first + r : 0} * cols;
        for (Index c = 0; c < whole; c += lanes)
            transpose_square<Lanes>(from, c, Offset{tile_rows} * cols, columns + first);
        for (Index c = whole; c < cols; ++c) {
            for (Index r = 0; r < lanes; ++r) columns[Offset{c} * tile_rows + first + r] = from[r][c];
        }
    }
}

/// Vectors of a register's size, and the vectors of half its size that have as many lanes.
template <int bytes>
struct Wide;
template <>
struct Wide<64> {
    using Doubles = double __attribute__((vector_size(64)));
    using Integers = Sum __attribute__((vector_size(64)));
    using Floats = float __attribute__((vector_size(32)));
    using Labels = Index __attribute__((vector_size(32)));
};
template <>
struct Wide<32> {
    using Doubles = double __attribute__((vector_size(32)));
    using Integers = Sum __attribute__((vector_size(32)));
    using Floats = float __attribute__((vector_size(16)));
    using Labels = Index __attribute__((vector_size(16)));
};
template <>
struct Wide<16> {
    using Doubles = double __attribute__((vector_size(16)));
    using Integers = Sum __attribute__((vector_size(16)));
    using Floats = float __attribute__((vector_size(8)));
    using Labels = Index __attribute__((vector_size(8)));
};
template <class Lanes>
constexpr int wide_lanes = device::lanes_of<Lanes> / 2;
template <class Lanes>
constexpr int wide_vectors = tile_rows / wide_lanes<Lanes>;

/// to_integer of formulas.hpp of a vector.
template <class Lanes>
DUNLIN_INLINE void to_integers(const typename Wide<sizeof(Lanes)>::Doubles& values, double scale,
                               typename Wide<sizeof(Lanes)>::Integers& out) {
    const typename Wide<sizeof(Lanes)>::Doubles shifted = values * scale + integer_shift;
    std::memcpy(&out, &shifted, sizeof out);
    out -= std::bit_cast<Sum>(integer_shift);
}

/// Bit i: whether lane i of a comparison is true.
template <class Lanes>
DUNLIN_INLINE std::uint32_t bits_of(const IntLanes<Lanes>& holds) {
    constexpr int lanes = device::lanes_of<Lanes>, pairs = lanes / 2;
    IntLanes<Lanes> bit{};
    for (int lane = 0; lane < lanes; ++lane) bit[lane] = 1 << lane;
    const IntLanes<Lanes> chosen = holds & bit;
    std::uint64_t of_pairs[pairs], bits = 0;
    std::memcpy(of_pairs, &chosen, sizeof chosen);
    for (const std::uint64_t pair : of_pairs) bits |= pair;
    return static_cast<std::uint32_t>(bits | bits >> 32);
}

/// Writes the labels of a vector's rows into label[first ..]; decide(row) gives the labels of rows marked by `close`.
template <class Lanes, class Decide>
DUNLIN_INLINE void write_labels(const IntLanes<Lanes>& labels, const IntLanes<Lanes>& close, Index first, Index rows,
                                Index* label, const Decide& decide) {
    std::memcpy(label + first, &labels, sizeof labels);
    for (std::uint32_t left = bits_of<Lanes>(close); left != 0; left &= left - 1) {
        const Index row = first + __builtin_ctz(left);
        if (row < rows) label[row] = decide(row);
    }
}

}  // namespace dunlin::kmeans
