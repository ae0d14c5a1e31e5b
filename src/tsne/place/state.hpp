// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

#include "tsne/place/reference.hpp"

namespace dunlin::tsne {

PlaceState state_of(MatrixView<const float> points, const PlaceOptions& options, const Reference& reference);
Reference reference_in(const PlaceState& state);

/// Throws Error{bad_input} if the state is not of these points.
void check_state(const PlaceState& state, MatrixView<const float> points);

}  // namespace dunlin::tsne
