// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include <dunlin/types.hpp>

#include "device/lanes.hpp"
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

/// Transposes up to tile_rows rows into columns of tile_rows values; missing rows repeat the first.
DUNLIN_INLINE void transpose(const float* points, Index rows, Index cols, float* columns) {
    if (cols == 1 && rows == tile_rows) return transpose_columns<1>(points, columns);
    if (cols == 2 && rows == tile_rows) return transpose_columns<2>(points, columns);
    if (cols == 3 && rows == tile_rows) return transpose_columns<3>(points, columns);
    if (cols == 4 && rows == tile_rows) return transpose_columns<4>(points, columns);
    for (Index r = 0; r < tile_rows; ++r) {
        const float* row = points + Offset{r < rows ? r : 0} * cols;
        for (Index c = 0; c < cols; ++c) columns[Offset{c} * tile_rows + r] = row[c];
    }
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
