// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// Position of a point in units of the spacing, relative to the origin of the grid, and its index.
template <int D>
struct GridPoint {
    float at[D];
    Index id;
};

/// Memory layout of the grid: node (x, y, z) has index x + y * row + z * plane.
struct GridStrides {
    Offset row = 0, plane = 0;
};

/// Transform from coordinates to units of the spacing.
struct GridFrame {
    std::array<float, 3> origin{};  ///< smallest coordinates
    float inverse_spacing = 0;
};

/// A point's position in units of the spacing.
template <int D>
void to_grid(const GridFrame& frame, const float* point, float (&at)[D]) {
    for (int d = 0; d < D; ++d) at[d] = (point[d] - frame.origin[static_cast<std::size_t>(d)]) * frame.inverse_spacing;
}

/// Points sorted by small tiles of cells. A strip of `strip_cells` cells along the slowest axis is a range of points;
/// splines of strips that are not adjacent share no node.
template <int D>
class GridOrder {
public:
    static constexpr int strip_cells = 8;

    void sort(device::Cpu& cpu, const GridShape& shape, const GridFrame& frame, MatrixView<const float> y);

    [[nodiscard]] const std::vector<GridPoint<D>>& points() const { return points_; }
    [[nodiscard]] int strips() const { return static_cast<int>(strip_begin_.size()) - 1; }
    [[nodiscard]] Offset strip_begin(int strip) const { return strip_begin_[static_cast<std::size_t>(strip)]; }

private:
    void count(device::Cpu& cpu, const GridFrame& frame, MatrixView<const float> y);
    void place(device::Cpu& cpu, const GridFrame& frame, MatrixView<const float> y);
    [[nodiscard]] int tile(const float (&at)[D]) const;

    std::array<int, 3> tiles_{1, 1, 1};
    Offset grain_ = 1;
    std::vector<GridPoint<D>> points_;
    std::vector<Offset> counts_;  // [block][tile]: counts, then the first index of each block's points in a tile
    std::vector<Offset> strip_begin_;
};

/// Charge assignment: adds the B-spline of every point to the grid.
template <int D>
void spread(const GridPoint<D>* points, Offset count, const GridStrides& strides, float* grid);

/// Force interpolation: force row id = -scale / 2 * the gradient of the spline through the grid; returns the sum of the
/// spline's values at the points.
template <int D>
double gather(const GridPoint<D>* points, Offset count, const GridStrides& strides, const float* grid, float scale,
              MatrixView<float> force);

}  // namespace dunlin::forces
