// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/surface.hpp>

#include "math/hd.hpp"
#include "math/triangle.hpp"
#include "surface/marching.hpp"

/// Area and volume of a mesh, for both devices.
namespace dunlin::surface {

/// Area and volume; sums of several numbers at once.
using Sums = math::Vec<double, 2>;

/// A corner of a triangle, from `center`.
DUNLIN_HD inline math::Vec3 corner_from(const float* positions, Index vertex, const math::Vec3& center) {
    math::Vec3 point;
    for (int axis = 0; axis < 3; ++axis)
        point.at[axis] = static_cast<double>(positions[3 * Offset{vertex} + axis]) - center.at[axis];
    return point;
}

/// Area of a triangle, and signed volume of its tetrahedron with `center`.
DUNLIN_HD inline Sums terms_of(const float* positions, const Index* triangle, const math::Vec3& center) {
    const math::Vec3 first = corner_from(positions, triangle[0], center);
    const math::Vec3 normal = math::triangle_normal(first, corner_from(positions, triangle[1], center),
                                                    corner_from(positions, triangle[2], center));
    return {{0.5 * std::sqrt(math::dot(normal, normal)), math::dot(normal, first) / 6}};
}

/// From the sums over the level surface and over the cap.
Measures measures_of(const Sums& surface, const Sums& cap, const MeshSizes& sizes, bool is_open);

}  // namespace dunlin::surface
