// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/state.hpp"
#include "device/cpu.hpp"

namespace dunlin::descent {

/// Whether to reorder the points before this iteration: rarely, since it copies the graph, and only if the positions
/// exceed the cache that serves gathers. Not in more than 3 dimensions, which have no Morton curve here.
bool reorders_at(const DescentState<device::Cpu>& state, int iteration);

/// Renumbers the points along a Morton curve through the map, so that neighbors are close in memory. Returns the old
/// number of each point. A graph of the points follows by graph::relabel.
std::vector<Index> reorder_points(device::Cpu& cpu, DescentState<device::Cpu>& state);

/// Renumbers the points and the graph.
void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Graph& affinities);

/// Renumbers a graph whose points are in the original order by the present order of the state. The result is that of
/// the calls of reorder() so far.
void renumber(device::Cpu& cpu, const DescentState<device::Cpu>& state, Graph& affinities);

}  // namespace dunlin::descent
