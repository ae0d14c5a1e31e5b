#pragma once

#include <algorithm>
#include <cmath>

#include "neighbors/tile.hpp"
#include "neighbors/tree.hpp"

namespace dunlin::neighbors {

/// The leaves of a tree laid out for the inner loops (see tile.hpp), and how a row asks them. What is particular to
/// bytes or floats and to squares or magnitudes is here and nowhere else in the search.
template <class Value, Law law>
struct Panels;

/// How many bytes or floats of one column lie side by side.
template <class Value, Law law>
constexpr Index cell_of = sizeof(Value) == 4 ? 1 : (law == Law::squares ? 4 : 8);

/// Lays out the columns of one leaf; columns beyond the leaf's items repeat its first and are not looked at.
template <class Value, Law law>
void lay_out(const Sketch<Value>& sketch, std::span<const Index> items, Value* panels) {
    constexpr Index cell = cell_of<Value, law>;
    const auto columns = (std::ssize(items) + group_columns - 1) / group_columns * group_columns;
    for (Offset column = 0; column < columns; ++column) {
        const Value* row = sketch.row(items[static_cast<std::size_t>(column < std::ssize(items) ? column : 0)]);
        Value* out = panels + column / lanes * lanes * sketch.dims + column % lanes * cell;
        for (Index c = 0; c < sketch.dims; c += cell) std::copy_n(row + c, cell, out + Offset{c} * lanes);
    }
}

/// A row's size in signed bytes.
struct ByteSums {
    std::int32_t sum = 0, squares = 0;
};
inline ByteSums sums_of(const std::uint8_t* row, Index dims) {
    ByteSums sums;
    for (Index c = 0; c < dims; ++c) {
        const int v = int{row[c]} - 128;
        sums.sum += v;
        sums.squares += v * v;
    }
    return sums;
}

/// |x - y|^2 <= reach^2, as a bound on x.(y - 128) - |x - 128|^2 / 2: see scan_dots.
inline std::int32_t least_dot(ByteSums row, double reach) {
    const double least = (static_cast<double>(row.squares) - reach * reach) / 2 + 128.0 * row.sum;
    return static_cast<std::int32_t>(std::floor(std::clamp(least, -0x1p29, 0x1p30))) - 1;
}

}  // namespace dunlin::neighbors
