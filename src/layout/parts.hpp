// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <dunlin/layout.hpp>

#include "arrange/apart.hpp"
#include "device/cpu.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

/// Places one component; `small`: by one thread, beside others.
using PlacePart = std::function<Placed(const arrange::Part& part, Index component, bool small)>;

/// Every component of a graph placed by itself (arrange::place_apart), and how the parts ended, together.
Placed place_apart(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                   const graph::Components& components, const PlacePart& place);

}  // namespace dunlin::layout
