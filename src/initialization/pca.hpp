// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::initialization {

/// Principal component scores of `points` (n x d): n x components, centered, the axis of largest variance first. The
/// loading of largest magnitude of each axis (the first of equals) is positive, so that the signs do not depend on the
/// solver. Missing components (d or n too small) are zero.
std::vector<float> principal_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components);
/// The same of sparse rows, which are centered by a correction of their products and stay sparse.
std::vector<float> principal_coordinates(device::Cpu& cpu, const SparseView& points, int components);

}  // namespace dunlin::initialization
