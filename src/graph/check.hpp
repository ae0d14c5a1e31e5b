// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// Throws Error{bad_input}, naming the edge, unless every edge is present in both directions with a weight above 0,
/// there are no self-loops, and targets ascend in each row.
void require_undirected(device::Cpu& cpu, const Graph& graph);

}  // namespace dunlin::graph
