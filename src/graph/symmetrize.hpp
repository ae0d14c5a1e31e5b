// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/combine.hpp"

namespace dunlin::graph {

/// The rule (combine.hpp) of A and its transpose as one merged graph: `pattern` gives A's rows and targets, `weights`
/// its values (pattern.weights is ignored). Targets ascend in every row; an edge and its reverse become one entry in
/// each direction.
template <class Rule>
Graph symmetrize(device::Cpu& cpu, const Graph& pattern, std::span<const float> weights, const Rule& rule);

}  // namespace dunlin::graph
