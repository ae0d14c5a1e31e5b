// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// (A + A') * scale as one merged graph: `pattern` gives A's rows and targets, `weights` its values (pattern.weights is
/// ignored). Targets ascend in every row; an edge and its reverse become one entry in each direction.
Graph symmetrize(device::Cpu& cpu, const Graph& pattern, std::span<const float> weights, double scale);

}  // namespace dunlin::graph
