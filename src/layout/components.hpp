// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <dunlin/layout.hpp>

#include "arrange/components.hpp"
#include "device/cpu.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

/// Places one component; `small`: on one thread, concurrently with others.
using PlaceComponent =
    std::function<LayoutOutput(const arrange::ComponentGraph& component_graph, Index component, bool small)>;

/// Places every component of a graph (arrange::place_each_component) and combines the results.
LayoutOutput place_each_component(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                                  const graph::Components& components, const PlaceComponent& place);

}  // namespace dunlin::layout
