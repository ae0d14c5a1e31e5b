// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/types.hpp>

/// Checks of places that are given to a method: of starts, anchors, fixed points and maps that go on.
namespace dunlin::forces {

/// Largest absolute value of a given coordinate. Of distances up to twice this, the fourth power is finite in float32:
/// the forces' laws take no higher one but in denominators, where infinity is a force of 0.
constexpr float farthest_place = 1e9F;

/// A thousand times the farthest given place: no method moves points there, and the engines' grids and trees still hold
/// them.
constexpr float farthest_point = 1000 * farthest_place;

/// Whether all coordinates of a point may be NaN: it has no place.
enum class Holes { refused, allowed };

/// Throws Error{bad_input}, naming `what` and the row, unless the map has 1 to most_dim dimensions and coordinates for
/// each of them, and these are finite and at most farthest_place. Must be called before Map::size().
void require_places(const Map& map, std::string_view what, Holes holes = Holes::refused, int most_dim = 3);

/// Throws Error{bad_input} unless `what` has as many dimensions as the map that is made.
void require_dim(const Map& given, int dim, std::string_view what);

}  // namespace dunlin::forces
