// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "device/cancel.hpp"
#include "layout/coarsest.hpp"
#include "layout/drawing.hpp"
#include "layout/hierarchy.hpp"
#include "layout/pivots.hpp"
#include "layout/prolongation.hpp"
#include "layout/sparse_stress.hpp"

namespace dunlin::layout {

/// Initial layout of the finest level, n x dim, in the unit of the edge lengths: distances in the map approximate path
/// lengths. Starts from the layout of the coarsest level; each finer level is interpolated, then its stress is lowered.
template <class Exec, class Level, class Coarsening>
auto initial_layout(Exec& exec, const Hierarchy<Level, Coarsening>& hierarchy, const CoarsestLayout& coarsest_layout,
                    std::uint64_t seed) {
    const int dim = coarsest_layout.map.dim;
    Pivots<Exec> pivots;
    pivots.count = static_cast<Index>(coarsest_layout.pivots.size());
    exec.upload(pivots.vertices, std::span(coarsest_layout.pivots));
    exec.upload(pivots.distances, std::span(coarsest_layout.distances));
    typename Exec::template Buffer<float> map;
    exec.upload(map, std::span(coarsest_layout.map.coordinates));
    for (std::size_t l = hierarchy.coarsest(); l-- > 0;) {
        const auto level = hierarchy.level(l);
        const Index n = hierarchy.size(l);
        map = prolongated(exec, level, hierarchy.steps[l], map, dim, seed + l);
        device::cancellation_point();
        pivots = prolongate_pivots(exec, level, hierarchy.steps[l], pivots, pivots_for(n));
        reduce_stress(exec, level, pivots, steps_for(n), dim, map);
    }
    exec.each(static_cast<Offset>(map.size()), Jitter{map.data(), seed + hierarchy.coarsest()});
    return map;
}

/// On a CPU, from the graph.
inline std::vector<float> initial_layout(device::Cpu& cpu, const graph::Level& graph, int dim, std::uint64_t seed) {
    const auto hierarchy = build_hierarchy(cpu, graph, seed);
    return initial_layout(cpu, hierarchy, place_coarsest(cpu, hierarchy.level(hierarchy.coarsest()), dim, seed), seed);
}

}  // namespace dunlin::layout
