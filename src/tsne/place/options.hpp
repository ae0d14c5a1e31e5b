// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

namespace dunlin::tsne {

/// Throws the errors of Placer's constructor, except those of the points' values.
void check_place(MatrixView<const float> points, const Map& map, const PlaceOptions& options, const Run& run,
                 const PlaceGiven& given);

/// Throws for options out of range, a map of more than 3 dimensions or without points, or a row that is not finite.
void check_map(const Map& map, const PlaceOptions& options);

/// Whether the potential of this map is summed exactly.
bool is_exact(const PlaceOptions& options, const Map& map);

/// Throws Error{bad_input} for a start of another size, or that is not finite.
void check_start(const Map& start, Index queries, int dim);

/// The options with their defaults: from the state if there is one, else by the number of points and the length of
/// given lists.
PlaceOptions resolve_place(const PlaceOptions& options, MatrixView<const float> points, const PlaceGiven& given);

}  // namespace dunlin::tsne
