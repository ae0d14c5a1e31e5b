// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/components.hpp"

namespace dunlin::arrange {

/// Lays the components of a graph side by side, each in its own shape and size, the largest about the origin and the
/// others around it, as near as they fit. Each is turned so that the smallest rectangle around it lies level, and takes
/// the room of its convex hull (its vertices' discs included) and half of `gap` around that: edges of different
/// components never meet. Vertices without edges form rows beneath all others, larger discs first. Of a map
/// in space, the components come to stand side by side on one plane, as they are seen from above, each centered on it.
///
/// map: 2-D or 3-D, finite. radii: per vertex, or empty for none; gap: the least distance between two components, map
/// units, > 0. Work: n log n, and for c components about c log c. A graph of one component stays as it is.
void pack(device::Cpu& cpu, Map& map, const graph::Components& components, std::span<const float> radii, float gap);

}  // namespace dunlin::arrange
