// SPDX-License-Identifier: Apache-2.0
#include "arrange/components.hpp"

#include <algorithm>

#include "checkpoint/session.hpp"
#include "math/at.hpp"

namespace dunlin::arrange {

namespace {

constexpr Index large = 2000;  ///< from this size on a component uses all threads, or a GPU

std::vector<Index> local_numbers(const graph::Components& components) {
    std::vector<Index> local(components.of.size());
    for (Index c = 0; c < components.count(); ++c) {
        Index next = 0;
        for (const Index v : components.members_of(c)) local[at(v)] = next++;
    }
    return local;
}

/// `local`: index of every vertex within its component.
ComponentGraph component_graph(const Graph& graph, std::span<const float> lengths, std::span<const Index> members,
                               std::span<const Index> local) {
    ComponentGraph subgraph;
    subgraph.graph.offsets.reserve(members.size() + 1);
    for (const Index v : members) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            subgraph.graph.targets.push_back(local[at(graph.targets[at(e)])]);
            subgraph.graph.weights.push_back(graph.weights[at(e)]);
            if (!lengths.empty()) subgraph.lengths.push_back(lengths[at(e)]);
        }
        subgraph.graph.offsets.push_back(static_cast<Offset>(subgraph.graph.targets.size()));
    }
    return subgraph;
}

}  // namespace

Map place_each_component(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, int dim,
                         const graph::Components& components, const PlaceComponent& place) {
    const std::vector<Index> local = local_numbers(components);
    std::vector<Map> placed(at(components.count()));
    const auto run = [&](Index c, bool small) {
        placed[at(c)] = place(component_graph(graph, lengths, components.members_of(c), local), c, small);
    };
    const auto is_large = [&](Index c) { return std::ssize(components.members_of(c)) >= large; };
    for (Index c = 0; c < components.count(); ++c) {
        if (is_large(c)) run(c, false);
    }
    cpu.each(
        components.count(),
        [&](Offset c) {
            if (is_large(static_cast<Index>(c))) return;
            const checkpoint::Suspended alone;  // small ones run in any order
            run(static_cast<Index>(c), true);
        },
        1);

    Map all{dim, std::vector<float>(at(Offset{graph.size()} * dim))};
    for (Index c = 0; c < components.count(); ++c) {
        for (const Index v : components.members_of(c)) {
            std::copy_n(placed[at(c)].coordinates.begin() + Offset{local[at(v)]} * dim, dim,
                        all.coordinates.begin() + Offset{v} * dim);
        }
    }
    return all;
}

}  // namespace dunlin::arrange
