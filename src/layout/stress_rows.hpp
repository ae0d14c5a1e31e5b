// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::layout {

/// One vertex's part of a majorization step: adds up w and, per axis, w (y_j + d (y_i - y_j) / |y_i - y_j|) over `size`
/// others; `from` is y_i, `at` one array per axis.
struct StressRow {
    const float *distances, *weights;
    std::array<const float*, 3> at;
    std::array<float, 3> from;
    Index size;
    int dim;
};
struct StressSums {
    double weight = 0;
    std::array<double, 3> place{};
};
void stress_row(const StressRow& row, StressSums& sums);

/// to[p] becomes from[p] + length where that is less, for `count` p.
void shorten_by(float length, const float* from, float* to, Index count);

}  // namespace dunlin::layout
