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

/// Packs a drawing, with a gap from the lengths of its edges: no vertex of a component is nearer to another component
/// than 1.15 times the component's longest edge. Vertices of other components thus do not become its neighbors in the
/// map. Ignores the edges of a component with more than half of the vertices. In 2-D and 3-D, if
/// the largest component has more than half of the vertices, all others and their gaps are scaled by one factor s <= 1:
/// the largest for which the largest component's bounding box has its share of the vertices, at most 0.6, of the
/// drawing's, but not so small that edges become shorter than 4 pixels of 1200. Returns s; 1 with `one_scale`, with
/// radii, and on a line, where the gap is 3.
double pack_drawing(device::Cpu& cpu, Map& map, const Graph& graph, const graph::Components& components,
                    std::span<const float> radii, bool one_scale);

}  // namespace dunlin::arrange
