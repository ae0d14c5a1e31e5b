// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "surface/words.hpp"

namespace dunlin::surface {

/// What a vertex is computed from. Positions and normals are the same bits on CPU and GPU: sums and products in double,
/// in this order, not fused (cmake/kernels.cmake).
template <class Real>
struct GridView {
    Shape shape;
    const Real* values = nullptr;
    double spacing[3] = {1, 1, 1};
    double origin[3] = {0, 0, 0};
    double level = 0;

    [[nodiscard]] DUNLIN_HD double value(Index x, Index y, Index z) const {
        return static_cast<double>(values[shape.node(x, y, z)]);
    }
    [[nodiscard]] DUNLIN_HD Index nodes(int axis) const {
        return axis == 0 ? shape.nx : axis == 1 ? shape.ny : shape.nz;
    }
};

struct Point3 {
    double at[3];
};

struct Vertex {
    float position[3];
    float normal[3];
};

/// Share of the way from value a to value b at which the level is reached. Halves of the values do not overflow.
DUNLIN_HD inline double crossing(double a, double b, double level) {
    const double whole = 0.5 * b - 0.5 * a;
    const double share = whole == 0 ? 0.5 : (0.5 * level - 0.5 * a) / whole;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/// Gradient by central differences, one-sided at the border.
template <class Real>
DUNLIN_HD Point3 gradient(const GridView<Real>& grid, const Index (&node)[3]) {
    Point3 slope{};
    for (int axis = 0; axis < 3; ++axis) {
        Index low[3] = {node[0], node[1], node[2]}, high[3] = {node[0], node[1], node[2]};
        if (node[axis] > 0) --low[axis];
        if (node[axis] + 1 < grid.nodes(axis)) ++high[axis];
        const double rise = grid.value(high[0], high[1], high[2]) - grid.value(low[0], low[1], low[2]);
        slope.at[axis] = rise / (static_cast<double>(high[axis] - low[axis]) * grid.spacing[axis]);
    }
    return slope;
}

/// Unit vector against a gradient; `otherwise` (not 0) where the gradient is 0 or overflows.
DUNLIN_HD inline void set_normal(Vertex& vertex, const Point3& slope, const Point3& otherwise) {
    const double largest = std::fmax(std::fabs(slope.at[0]), std::fmax(std::fabs(slope.at[1]), std::fabs(slope.at[2])));
    const bool is_usable = largest > 0 && std::isfinite(largest) && std::isfinite(slope.at[0]) &&
                           std::isfinite(slope.at[1]) && std::isfinite(slope.at[2]);
    double direction[3], square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        direction[axis] = is_usable ? -slope.at[axis] / largest : otherwise.at[axis];
        square += direction[axis] * direction[axis];
    }
    const double length = std::sqrt(square);
    for (int axis = 0; axis < 3; ++axis) vertex.normal[axis] = static_cast<float>(direction[axis] / length);
}

DUNLIN_HD inline float position_of(double origin, double spacing, double node) {
    return static_cast<float>(origin + spacing * node);
}

/// The vertex on the edge of node (x, y, z) in direction m.
template <class Real>
DUNLIN_HD Vertex vertex_on(const GridView<Real>& grid, Index x, Index y, Index z, int m) {
    const Index from[3] = {x, y, z};
    const Index step[3] = {m >> 2 & 1, m >> 1 & 1, m & 1};
    const Index to[3] = {x + step[0], y + step[1], z + step[2]};
    const double a = grid.value(from[0], from[1], from[2]), b = grid.value(to[0], to[1], to[2]);
    const double share = crossing(a, b, grid.level);
    const Point3 first = gradient(grid, from), last = gradient(grid, to);
    Vertex vertex{};
    Point3 slope{}, outward{};
    const double side = a > b ? 1 : -1;
    for (int axis = 0; axis < 3; ++axis) {
        const double node = static_cast<double>(from[axis]) + (step[axis] != 0 ? share : 0.0);
        vertex.position[axis] = position_of(grid.origin[axis], grid.spacing[axis], node);
        slope.at[axis] = first.at[axis] * (1 - share) + last.at[axis] * share;
        outward.at[axis] = side * static_cast<double>(step[axis]) * grid.spacing[axis];
    }
    set_normal(vertex, slope, outward);
    return vertex;
}

/// The vertex of the cap at a node of the border, with the normal of the border there.
template <class Real>
DUNLIN_HD Vertex vertex_of_cap(const GridView<Real>& grid, Index x, Index y, Index z) {
    const Index node[3] = {x, y, z};
    Vertex vertex{};
    Point3 inward{}, none{};
    for (int axis = 0; axis < 3; ++axis) {
        vertex.position[axis] = position_of(grid.origin[axis], grid.spacing[axis], static_cast<double>(node[axis]));
        const bool is_low = node[axis] == 0, is_high = node[axis] + 1 == grid.nodes(axis);
        inward.at[axis] = is_low ? 1 : is_high ? -1 : 0;
    }
    set_normal(vertex, inward, none);
    return vertex;
}

}  // namespace dunlin::surface
