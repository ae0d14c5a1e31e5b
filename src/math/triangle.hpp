// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"
#include "math/vec.hpp"

namespace dunlin::math {

using Vec3 = Vec<double, 3>;

/// (b - a) x (c - a): a normal of the triangle, twice as long as its area.
DUNLIN_HD inline Vec3 triangle_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
    Vec3 normal;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal.at[i] = (b.at[j] - a.at[j]) * (c.at[k] - a.at[k]) - (b.at[k] - a.at[k]) * (c.at[j] - a.at[j]);
    }
    return normal;
}

DUNLIN_HD inline double dot(const Vec3& a, const Vec3& b) {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

}  // namespace dunlin::math
