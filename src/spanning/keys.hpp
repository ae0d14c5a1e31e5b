// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/ordered_sum.hpp"
#include "neighbors/quantized_rows.hpp"

/// Keys of distances in double, in the order of math::TreeSum, for files that are compiled without fused multiply-add
/// (cmake/kernels.cmake): the same bits for any blocking of the work. A key is the squared distance, or the distance
/// for manhattan. Every operation is monotone, so the key of two boxes is at most that of any two of their points.
namespace dunlin::spanning {

using neighbors::Norm;

/// Points of a leaf, and columns of a panel: coordinate c of the leaf's points is panel[c * leaf_points ..).
constexpr Index leaf_points = 16;

/// Sums of `count` <= 32 values, as math::fold with zeros after them.
template <class T>
[[gnu::always_inline]] inline T fold_first(T* values, Index count) {
    for (Index half = math::fan_in / 2; half > 0; half /= 2) {
        for (Index i = 0; i + half < count; ++i) values[i] += values[i + half];
        count = std::min(count, half);
    }
    return values[0];
}

/// The TreeSum of term(0) .. term(count - 1), count <= 1,024, of which only those of 32 are kept at a time.
template <class T, class Term>
[[gnu::always_inline]] inline T sum_in_order(Index count, const Term& term) {
    T block[math::fan_in], blocks[math::fan_in];
    Index whole = 0;
    for (Index begin = 0; begin < count; begin += math::fan_in) {
        const Index size = std::min<Index>(math::fan_in, count - begin);
        for (Index i = 0; i < size; ++i) block[i] = term(begin + i);
        blocks[whole++] = fold_first(block, size);
    }
    return whole == 0 ? T{} : fold_first(blocks, whole);
}
constexpr Index most_in_order = math::fan_in * math::fan_in;

template <Norm norm>
[[gnu::always_inline]] DUNLIN_HD inline double key_term(double difference) {
    return norm == Norm::l2 ? difference * difference : std::abs(difference);
}

/// Sum of term(c) over 1 to 4 columns, in TreeSum's order.
template <class Term>
[[gnu::always_inline]] DUNLIN_HD inline double sum_of_few_columns(Index cols, const Term& term) {
    if (cols == 2) return term(0) + term(1);
    if (cols == 1) return term(0);
    if (cols == 3) return (term(0) + term(2)) + term(1);
    return (term(0) + term(2)) + (term(1) + term(3));
}
constexpr Index few_columns = 4;

/// Sum of term(c) over the columns of a row, in TreeSum's order.
template <class Term>
[[gnu::always_inline]] inline double sum_of_columns(Index cols, const Term& term) {
    if (cols <= few_columns) return sum_of_few_columns(cols, term);
    if (cols <= most_in_order) return sum_in_order<double>(cols, term);
    math::TreeSum<double> sum;
    for (Index c = 0; c < cols; ++c) sum.add(term(c));
    return sum.total();
}

/// Key of two points.
template <Norm norm>
[[gnu::always_inline]] inline double key_of(const double* a, const double* b, Index cols) {
    return sum_of_columns(cols, [&](Index c) { return key_term<norm>(a[c] - b[c]); });
}

/// Key of two boxes: cols least coordinates, then cols greatest ones.
template <Norm norm>
[[gnu::always_inline]] inline double box_key(const double* a, const double* b, Index cols) {
    return sum_of_columns(
        cols, [&](Index c) { return key_term<norm>(std::max({a[c] - b[cols + c], b[c] - a[cols + c], 0.0})); });
}

/// Key of two rows, for files compiled with other flags.
double row_key(Norm norm, const double* a, const double* b, Index cols);

/// Keys of a point and the leaf_points columns of a panel.
void panel_keys(Norm norm, const double* panel, const double* point, Index cols, double* keys);

}  // namespace dunlin::spanning
