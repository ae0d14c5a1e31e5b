// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/grid/points.cuh"
#include "math/bspline.hpp"

/// Shared by spreading and gathering.
namespace dunlin::forces {

/// Cell of a point, position within the cell in [0, 1), and whether the point was clamped to the border.
template <int D>
struct CellPosition {
    int cell[D];
    float into[D];
    bool stray = false;
};

template <int D>
__device__ CellPosition<D> position_of(const GridField& field, const float* y, Index i) {
    CellPosition<D> place;
#pragma unroll
    for (int d = 0; d < D; ++d) {
        const float at = (y[Offset{i} * D + d] - field.origin[d]) * field.inverse_spacing;
        const float held = fminf(fmaxf(at, 0.0F), field.most[d]);
        place.stray |= held != at;
        place.cell[d] = static_cast<int>(held);
        place.into[d] = held - static_cast<float>(place.cell[d]);
    }
    return place;
}

template <int D>
__device__ int node_at(const int (&at)[D], const CudaGridStrides& strides) {
    if constexpr (D == 2)
        return at[0] + at[1] * strides.row;
    else
        return at[0] + at[1] * strides.row + at[2] * strides.plane;
}

}  // namespace dunlin::forces
