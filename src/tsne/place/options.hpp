// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

namespace dunlin::tsne {

/// Throws the errors of Placer's constructor, except those of the points' values.
void check_place(MatrixView<const float> points, const Map& map, const PlaceOptions& options, const Run& run,
                 const PlaceGiven& given);

/// The options with their defaults: from the state if there is one, else by the number of points and the length of
/// given lists.
PlaceOptions resolve_place(const PlaceOptions& options, MatrixView<const float> points, const PlaceGiven& given);

}  // namespace dunlin::tsne
