#pragma once

#include <dunlin/types.hpp>

#include "device/lanes.hpp"
#include "kmeans/nearest.hpp"

/// What the inner loops share: rows side by side in lanes.
namespace dunlin::kmeans {

template <class Lanes>
using Whole = decltype(Lanes{} < Lanes{});

/// Vectors side by side: enough sums that do not wait for each other.
constexpr int vectors_abreast = 4;

template <int Cols>
DUNLIN_INLINE void turn_columns(const float* points, float* columns) {
    for (Index c = 0; c < Cols; ++c) {
        for (Index r = 0; r < tile_rows; ++r) columns[c * tile_rows + r] = points[r * Cols + c];
    }
}

/// Rows side by side in lanes; lanes without a row repeat the first.
DUNLIN_INLINE void turn(const float* points, Index rows, Index cols, float* columns) {
    if (cols == 1 && rows == tile_rows) return turn_columns<1>(points, columns);
    if (cols == 2 && rows == tile_rows) return turn_columns<2>(points, columns);
    if (cols == 3 && rows == tile_rows) return turn_columns<3>(points, columns);
    if (cols == 4 && rows == tile_rows) return turn_columns<4>(points, columns);
    for (Index r = 0; r < tile_rows; ++r) {
        const float* row = points + Offset{r < rows ? r : 0} * cols;
        for (Index c = 0; c < cols; ++c) columns[Offset{c} * tile_rows + r] = row[c];
    }
}

/// Writes the labels of a vector's rows, from row `first` on; decide(row) gives those that `close` marks.
template <class Lanes, class Decide>
DUNLIN_INLINE void settle(const Whole<Lanes>& labels, const Whole<Lanes>& close, Index first, Index rows, Index* label,
                          const Decide& decide) {
    constexpr int lanes = device::lanes_of<Lanes>;
    int any = 0;
    for (int lane = 0; lane < lanes; ++lane) any |= close[lane];
    for (int lane = 0; lane < lanes && first + lane < rows; ++lane) label[first + lane] = labels[lane];
    if (any == 0) return;
    for (int lane = 0; lane < lanes && first + lane < rows; ++lane) {
        if (close[lane] != 0) label[first + lane] = decide(first + lane);
    }
}

}  // namespace dunlin::kmeans
