// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// Renumbers vertices: vertex v of the result is vertex order[v] of `graph`. Edges keep their order within a row.
Graph relabel(device::Cpu& cpu, const Graph& graph, std::span<const Index> order);

}  // namespace dunlin::graph
