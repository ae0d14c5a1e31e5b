// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/components.hpp"

namespace dunlin::arrange {

/// Packs the components of a graph side by side without scaling, the largest around the origin and the others around
/// it. Each component is rotated so that its minimum-area bounding rectangle is horizontal, and occupies its convex
/// hull (including the discs of its vertices) widened by half of `gap`, so that edges of different components do not
/// cross. Isolated vertices form rows below all others, larger discs first. In 3-D, components are packed in the x-y
/// plane, each centered at height 0. On a line, components follow each other from left to right, the longest first.
///
/// map: 1-D, 2-D or 3-D, finite. radii: per vertex; empty: 0. gap: minimum distance between components, in map units, >
/// 0. Time: n log n, plus about c log c for c components. A graph with one component is not changed.
void pack(device::Cpu& cpu, Map& map, const graph::Components& components, std::span<const float> radii, float gap);

}  // namespace dunlin::arrange
