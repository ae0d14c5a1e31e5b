// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::initialization {

/// The rows of `points` (n x d) in their first `components` principal axes, n x components, centered, the axis of
/// largest variance first. Each axis' sign makes its loading of largest magnitude positive (first of equals), so that
/// the result does not depend on a solver's whim. Missing components (d or n too small) are zero.
std::vector<float> principal_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components);

}  // namespace dunlin::initialization
