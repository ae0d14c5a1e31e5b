// SPDX-License-Identifier: Apache-2.0
#include "layout/components.hpp"

#include <algorithm>

#include "math/at.hpp"

namespace dunlin::layout {

namespace {

/// The worse of two endings, in the order converged, budget, cancelled.
Stopped worse(Stopped a, Stopped b) { return std::max(a, b); }

}  // namespace

LayoutOutput place_each_component(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                                  const graph::Components& components, const PlaceComponent& place) {
    std::vector<LayoutOutput> outputs(at(components.count()));
    const auto place_one = [&](const arrange::ComponentGraph& component_graph, Index c, bool small) {
        outputs[at(c)] = place(component_graph, c, small);
        return std::move(outputs[at(c)].map);
    };
    LayoutOutput all{arrange::place_each_component(cpu, graph, lengths, dim, components, place_one),
                     {0, Stopped::converged}};
    all.threads = cpu.threads();
    for (const LayoutOutput& output : outputs) {
        all.ending.iterations = std::max(all.ending.iterations, output.ending.iterations);
        all.ending.stopped = worse(all.ending.stopped, output.ending.stopped);
        all.kinetic_energy += output.kinetic_energy;
        all.cost += output.cost;
    }
    return all;
}

}  // namespace dunlin::layout
