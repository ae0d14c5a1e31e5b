// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// A point in units of the spacing, seen from the corner of the grid's cells, and which point it is.
template <int D>
struct GridPoint {
    float at[D];
    Index id;
};

/// A place on the grid: node (x, y, z) lies at x + y * row + z * plane.
struct GridStrides {
    Offset row = 0, plane = 0;
};

/// Where the points lie.
struct GridFrame {
    std::array<float, 3> origin{};  ///< least coordinates
    float inverse_spacing = 0;
};

/// Points in the order of small tiles of cells: a strip of `strip_cells` along the slowest axis is a range of points.
/// Splines of strips that are not neighbors never share a node.
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
    std::vector<Offset> counts_;  // [block][tile], then where each block's points of a tile begin
    std::vector<Offset> strip_begin_;
};

/// The hot loops. Adds every point's spline to the grid.
template <int D>
void spread(const GridPoint<D>* points, Offset count, const GridStrides& strides, float* grid);

/// force row id = -scale / 2 * the gradient of the grid's spline; returns the sum of its values.
template <int D>
double gather(const GridPoint<D>* points, Offset count, const GridStrides& strides, const float* grid, float scale,
              MatrixView<float> force);

}  // namespace dunlin::forces
