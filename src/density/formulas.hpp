// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

#include "density/placement.hpp"
#include "math/hd.hpp"

namespace dunlin::density {

/// The value at a position, in nodes, of a field that is linear in each simplex of Kuhn's triangulation: from the
/// cell's first node along one axis after the other, in the order of falling position within the cell. strides: between
/// nodes along each axis. All nodes of the cell must be there.
template <int D>
DUNLIN_HD double interpolated(const float* values, const Offset (&strides)[D], const double (&at)[D]) {
    double into[D];
    Offset node = 0;
    for (int d = 0; d < D; ++d) {
        const auto cell = static_cast<Offset>(at[d]);
        into[d] = at[d] - static_cast<double>(cell);
        node += cell * strides[d];
    }
    double last = static_cast<double>(values[node]), sum = last;
    bool passed[D] = {};
    for (int step = 0; step < D; ++step) {
        int axis = -1;
        for (int d = 0; d < D; ++d) {
            if (!passed[d] && (axis < 0 || into[d] > into[axis])) axis = d;
        }
        passed[axis] = true;
        node += strides[axis];
        const auto next = static_cast<double>(values[node]);
        sum += into[axis] * (next - last);
        last = next;
    }
    return sum;
}

/// The field's value at a point given in cells.
template <int D>
DUNLIN_HD float value_at(const float* values, const Offset (&strides)[D], const float (&cells)[D]) {
    double at[D];
    for (int d = 0; d < D; ++d) at[d] = static_cast<double>(cells[d]) + spline_center;
    return static_cast<float>(interpolated<D>(values, strides, at));
}

/// Terms of an axis' moments: the distance from `low` in steps.
DUNLIN_HD inline Moments moments_of(float x, double low, double length) {
    const auto steps = static_cast<std::int64_t>((static_cast<double>(x) - low) / length * moment_steps);
    return {{steps, steps * steps}};
}

/// Mean of values from their sum and number per cell, relative to their range.
DUNLIN_HD inline float mean_of(float sum, float count, double low, double range) {
    if (!(count > 0)) return NAN;
    const double share = static_cast<double>(sum) / static_cast<double>(count);
    return static_cast<float>(low + range * (share < 1 ? share : 1));
}

}  // namespace dunlin::density
