// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/components.hpp"

namespace dunlin::arrange {

/// A component as a graph of its own; vertices keep their order.
struct ComponentGraph {
    Graph graph;
    std::vector<float> lengths;  ///< of its edges; empty: 1 each
};

/// Places one component; `small`: on one thread, concurrently with others.
using PlaceComponent = std::function<Map(const ComponentGraph& component_graph, Index component, bool small)>;

/// Places every component: large ones one after another, small ones concurrently. All are centered at the origin, still
/// to be packed.
Map place_each_component(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                         const graph::Components& components, const PlaceComponent& place);

}  // namespace dunlin::arrange
