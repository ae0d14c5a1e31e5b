// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Points of a tile, one array per axis, and the force accumulated on them.
template <int D>
struct TileSide {
    std::array<const float*, D> at;
    std::array<float*, D> force;
    Index size;
    const float* charge = nullptr;  ///< null unless the law is charged
    const float* radius = nullptr;  ///< null unless the law is sized
};

/// Adds the forces between every point of `rows` and every point of `columns` to both sides. The two sets are disjoint.
/// Returns the mass of these pairs, each counted once.
template <class Law, int D>
double repel_tile(const TileSide<D>& rows, const TileSide<D>& columns, Law law);

/// Adds the forces between all pairs of one set. Returns the mass of these pairs, each counted once.
template <class Law, int D>
double repel_within(const TileSide<D>& points, Law law);

}  // namespace dunlin::forces
