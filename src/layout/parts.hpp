#pragma once

#include <functional>
#include <vector>

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"
#include "graph/components.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

/// One component as a graph of its own, vertices numbered in their order.
struct Part {
    Graph graph;
    std::vector<float> lengths;  ///< of its edges; empty: 1 each
};

/// `local`: of every vertex, its number within its component.
Part part_of(const Graph& graph, std::span<const float> lengths, std::span<const Index> members,
             std::span<const Index> local);

/// Places one component; `small`: by one thread, beside others.
using PlacePart = std::function<Placed(const Part& part, Index component, bool small)>;

/// Every component of a graph placed by itself: the large ones one after the other, the small ones by several threads
/// at once. All about the origin, still to be packed.
Placed place_apart(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                   const graph::Components& components, const PlacePart& place);

}  // namespace dunlin::layout
