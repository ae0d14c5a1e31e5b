// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// Throws Error{bad_input}, naming the edge, unless every edge stands in both directions with a weight above 0, none
/// joins a vertex with itself, and targets ascend in a row.
void require_undirected(device::Cpu& cpu, const Graph& graph);

}  // namespace dunlin::graph
