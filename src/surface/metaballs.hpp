// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/surface.hpp>

#include "device/cpu.hpp"

namespace dunlin::surface {

/// Kernel of a metaball at the squared distance `share` R^2 from its point, 0 beyond R.
constexpr double metaball(double share) {
    const double rest = share < 1 ? 1 - share : 0;
    return rest * rest * rest;
}

/// Half of Silverman's bandwidth for `map` (1986, equation 4.14, with the smaller of the standard deviation and the
/// interquartile range / 1.349 of each axis) as the standard deviation of the kernel along an axis, R / sqrt(11);
/// `otherwise` if all points coincide.
double radius_by_rule(const Map& map, double otherwise);

/// Adds up the kernels, in a cancellation scope of the caller. The map is checked and not empty.
FieldArray sum_metaballs(device::Cpu& cpu, const Map& map, double radius, int cells, const Run& run);

/// The value of a field at a position inside the grid, linear in the tetrahedra of Kuhn's triangulation.
double value_at(const FieldView<float>& grid, std::span<const float> position);

/// Throws Error{bad_input} unless the map has 3 dimensions and finite coordinates.
void check(const Map& map);

}  // namespace dunlin::surface
