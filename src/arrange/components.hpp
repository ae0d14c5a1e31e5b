// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/components.hpp"

namespace dunlin::arrange {

/// One component as a graph of its own, vertices numbered in their order.
struct ComponentGraph {
    Graph graph;
    std::vector<float> lengths;  ///< of its edges; empty: 1 each
};

/// Places one component; `small`: by one thread, beside others.
using PlaceComponent = std::function<Map(const ComponentGraph& part, Index component, bool small)>;

/// Every component of a graph placed by itself: the large ones one after the other, the small ones by several threads
/// at once. All about the origin, still to be packed.
Map place_each_component(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                const graph::Components& components, const PlaceComponent& place);

}  // namespace dunlin::arrange
