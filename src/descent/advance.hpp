// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "descent/steps.hpp"

namespace dunlin::descent {

/// The state of points, and their forces; n x dim each.
struct MovingPoints {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion;
};

/// Step::advance (steps.hpp) of the points [begin, end), vectorized.
template <class Step, int D>
void advance_points(const MovingPoints& points, Offset begin, Offset end, float mass, const StepParameters& parameters);

}  // namespace dunlin::descent
