// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// A few points, one array per axis, and the force on them so far.
template <int D>
struct TileSide {
    std::array<const float*, D> at;
    std::array<float*, D> force;
    Index size;
    const float* charge = nullptr;  ///< where the law is charged
    const float* radius = nullptr;  ///< where it is sized
};

/// Adds to both sides the forces between every point of `rows` and every point of `columns`, two different sets.
/// Returns the mass of these pairs, each counted once.
template <class Law, int D>
double repel_tile(const TileSide<D>& rows, const TileSide<D>& columns, Law law);

/// The same between the points of one set.
template <class Law, int D>
double repel_within(const TileSide<D>& points, Law law);

}  // namespace dunlin::forces
