// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

#include "placement/reference.hpp"

namespace dunlin::placement {

/// Computes a State without the members that depend on a map.
State state_of(MatrixView<const float> points, const Options& options, const Reference& reference);
Reference reference_in(const State& state);

/// Sets the members that depend on the map. Does nothing if they already belong to this map.
void take_map(device::Cpu& cpu, MatrixView<const float> map, State& state);

/// Throws Error{bad_input} if the state is not of these points.
void check_state(const State& state, MatrixView<const float> points);

}  // namespace dunlin::placement
