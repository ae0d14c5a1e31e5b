// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/lanes.hpp"
#include "forces/grid/points.hpp"
#include "math/bspline.hpp"

/// B-spline weights of a point with one node per SIMD lane, for spreading and gathering on a CPU (*_simd.cpp).
namespace dunlin::forces {

/// Coefficients of t^d of the B-spline weights of a point's nodes, one node per lane, and of their derivatives.
struct SplineCoefficients {
    alignas(32) float weight[grid_order][8] = {};
    alignas(32) float slope[grid_order - 1][8] = {};
};

inline constexpr SplineCoefficients spline_coefficients = [] {
    SplineCoefficients p;
    constexpr auto spline = math::bspline_pieces<grid_order>();
    for (std::size_t lane = 0; lane < grid_order; ++lane) {
        for (std::size_t d = 0; d < grid_order; ++d) {
            const double coefficient = spline[grid_order - 1 - lane][d];
            p.weight[d][lane] = static_cast<float>(coefficient);
            if (d > 0) p.slope[d - 1][lane] = static_cast<float>(coefficient * static_cast<double>(d));
        }
    }
    return p;
}();

DUNLIN_INLINE const device::Lanes8& lanes(const float* at) { return *reinterpret_cast<const device::Lanes8*>(at); }

DUNLIN_INLINE void weigh(float t, device::Lanes8& weight) {
    weight = lanes(spline_coefficients.weight[grid_order - 1]);
    for (int d = grid_order - 2; d >= 0; --d) weight = weight * t + lanes(spline_coefficients.weight[d]);
}

DUNLIN_INLINE void weigh_slope(float t, device::Lanes8& slope) {
    slope = lanes(spline_coefficients.slope[grid_order - 2]);
    for (int d = grid_order - 3; d >= 0; --d) slope = slope * t + lanes(spline_coefficients.slope[d]);
}

/// Weights that are broadcast to all lanes one at a time. They are stored to memory, because a broadcast load is free;
/// the compiler would use two shuffles for each.
struct Broadcast {
    alignas(32) float of[8];
    DUNLIN_INLINE void operator=(const device::Lanes8& v) {
        *reinterpret_cast<device::Lanes8*>(of) = v;
        __asm__("" : "+m"(of));
    }
};

/// Index of the first node of a point's cell; t: position within the cell, in [0, 1).
template <int D>
DUNLIN_INLINE Offset locate(const GridPoint<D>& point, const GridStrides& strides, float (&t)[D]) {
    Offset node = 0;
    const Offset stride[3] = {1, strides.row, strides.plane};
    for (int d = 0; d < D; ++d) {
        const int cell = static_cast<int>(point.at[d]);
        t[d] = point.at[d] - static_cast<float>(cell);
        node += cell * stride[d];
    }
    return node;
}

}  // namespace dunlin::forces
