// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu.hpp"
#include "tsne/descent_state.hpp"

namespace dunlin::tsne {

/// Whether the flock is put in order before this iteration: rarely, since it copies the graph, and only where the
/// positions outgrow the cache that gathers are served from.
bool reorders_at(const DescentState<device::Cpu>& state, int iteration);

/// Numbers the points along a Morton curve through the map, so that neighbors lie close in memory.
void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Graph& affinities);

}  // namespace dunlin::tsne
