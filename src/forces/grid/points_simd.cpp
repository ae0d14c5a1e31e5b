// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/grid/spread_point.hpp"

namespace dunlin::forces {

namespace {

using device::Lanes4;
using device::Lanes8;
using device::Lanes8Loose;

template <int D>
DUNLIN_INLINE void spread_all(const GridPoint<D>* points, Offset count, const GridStrides& strides, float* grid) {
    for (Offset i = 0; i < count; ++i) {
        float t[D];
        float* at = grid + locate<D>(points[i], strides, t);
        spread_point<D>(t, 1, strides, at);
    }
}

/// Rows of a plane summed with the weights along y, and with their derivatives; one value per node of x.
struct WeightedRows {
    Lanes8 value, slope;
};

DUNLIN_INLINE void gather_rows(const float* at, Offset row, const Broadcast& y, const Broadcast& dy,
                               WeightedRows& sum) {
    sum.value = Lanes8{};
    sum.slope = Lanes8{};
    for (int r = 0; r < grid_order; ++r) {
        const Lanes8 nodes = *reinterpret_cast<const Lanes8Loose*>(at + r * row);
        sum.value += nodes * y.of[r];
        sum.slope += nodes * dy.of[r];
    }
}

/// Sums over the lanes of four vectors.
DUNLIN_INLINE void sum_lanes(const Lanes8& a, const Lanes8& b, const Lanes8& c, const Lanes8& d, Lanes4& sums) {
    const Lanes8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                      __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);  // a b a b per half
    const Lanes8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13) +
                      __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    const Lanes8 abcd = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                        __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    sums = __builtin_shufflevector(abcd, abcd, 0, 1, 2, 3) + __builtin_shufflevector(abcd, abcd, 4, 5, 6, 7);
}

/// Value of the spline through the grid at a point, and its derivatives along x, y and z.
template <int D>
DUNLIN_INLINE void evaluate(const GridPoint<D>& point, const GridStrides& strides, const float* grid, Lanes4& out) {
    float t[D];
    const float* at = grid + locate<D>(point, strides, t);
    Lanes8 x, dx, weight;
    weigh(t[0], x);
    weigh_slope(t[0], dx);
    Broadcast y, dy, z, dz;
    weigh(t[1], weight);
    y = weight;
    weigh_slope(t[1], weight);
    dy = weight;
    WeightedRows rows{};
    Lanes8 along_z{};
    if constexpr (D == 2) {
        gather_rows(at, strides.row, y, dy, rows);
    } else {
        weigh(t[2], weight);
        z = weight;
        weigh_slope(t[2], weight);
        dz = weight;
        for (int p = 0; p < grid_order; ++p) {
            WeightedRows plane;
            gather_rows(at + p * strides.plane, strides.row, y, dy, plane);
            rows.value += plane.value * z.of[p];
            rows.slope += plane.slope * z.of[p];
            along_z += plane.value * dz.of[p];
        }
    }
    sum_lanes(rows.value * x, rows.value * dx, rows.slope * x, along_z * x, out);
}

template <int D>
DUNLIN_INLINE double gather_all(const GridPoint<D>* points, Offset count, const GridStrides& strides, const float* grid,
                                float scale, MatrixView<float> force) {
    double total = 0;
    for (Offset i = 0; i < count; ++i) {
        Lanes4 out;
        evaluate<D>(points[i], strides, grid, out);
        total += static_cast<double>(out[0]);
        float* row = force.data + Offset{points[i].id} * D;
        for (int d = 0; d < D; ++d) row[d] = -0.5F * scale * out[d + 1];
    }
    return total;
}

DUNLIN_CLONES void spread2(const GridPoint<2>* points, Offset count, const GridStrides& strides, float* grid) {
    spread_all<2>(points, count, strides, grid);
}
DUNLIN_CLONES void spread3(const GridPoint<3>* points, Offset count, const GridStrides& strides, float* grid) {
    spread_all<3>(points, count, strides, grid);
}
DUNLIN_CLONES double gather2(const GridPoint<2>* points, Offset count, const GridStrides& strides, const float* grid,
                             float scale, MatrixView<float> force) {
    return gather_all<2>(points, count, strides, grid, scale, force);
}
DUNLIN_CLONES double gather3(const GridPoint<3>* points, Offset count, const GridStrides& strides, const float* grid,
                             float scale, MatrixView<float> force) {
    return gather_all<3>(points, count, strides, grid, scale, force);
}

}  // namespace

template <int D>
void spread(const GridPoint<D>* points, Offset count, const GridStrides& strides, float* grid) {
    if constexpr (D == 2) {
        spread2(points, count, strides, grid);
    } else {
        spread3(points, count, strides, grid);
    }
}

template <int D>
double gather(const GridPoint<D>* points, Offset count, const GridStrides& strides, const float* grid, float scale,
              MatrixView<float> force) {
    if constexpr (D == 2) {
        return gather2(points, count, strides, grid, scale, force);
    } else {
        return gather3(points, count, strides, grid, scale, force);
    }
}

template void spread<2>(const GridPoint<2>*, Offset, const GridStrides&, float*);
template void spread<3>(const GridPoint<3>*, Offset, const GridStrides&, float*);
template double gather<2>(const GridPoint<2>*, Offset, const GridStrides&, const float*, float, MatrixView<float>);
template double gather<3>(const GridPoint<3>*, Offset, const GridStrides&, const float*, float, MatrixView<float>);

}  // namespace dunlin::forces
