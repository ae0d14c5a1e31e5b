// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "device/cancel.hpp"
#include "layout/drawing.hpp"
#include "layout/hierarchy.hpp"
#include "layout/pivots.hpp"
#include "layout/stress.hpp"
#include "layout/summit.hpp"
#include "layout/prolongation.hpp"

namespace dunlin::layout {

/// The global shape: a map of the finest level, n x dim, in which distances are those along edges, in the unit of the
/// edges' lengths. From the summit, which is the ladder's last level, to the next finer one, and little stress again.
template <class Exec, class Level, class Coarsening>
auto initial_layout(Exec& exec, const Hierarchy<Level, Coarsening>& ladder, const Summit& summit, std::uint64_t seed) {
    const int dim = summit.map.dim;
    Pivots<Exec> pivots;
    pivots.count = static_cast<Index>(summit.pivots.size());
    exec.upload(pivots.vertices, std::span(summit.pivots));
    exec.upload(pivots.distances, std::span(summit.distances));
    typename Exec::template Buffer<float> map;
    exec.upload(map, std::span(summit.map.coordinates));
    for (std::size_t l = ladder.top(); l-- > 0;) {
        const auto level = ladder.level(l);
        const Index n = ladder.size(l);
        map = prolongated(exec, level, ladder.steps[l], map, dim, seed + l);
        device::cancellation_point();
        pivots = carried_down(exec, level, ladder.steps[l], pivots, pivots_for(n));
        lower_stress(exec, level, pivots, steps_for(n), dim, map);
    }
    exec.each(static_cast<Offset>(map.size()), Jitter{map.data(), seed + ladder.top()});
    return map;
}

/// The same on a CPU, from the graph.
inline std::vector<float> initial_layout(device::Cpu& cpu, const graph::Level& graph, int dim, std::uint64_t seed) {
    const auto ladder = build_hierarchy(cpu, graph, seed);
    return initial_layout(cpu, ladder, summit_of(cpu, ladder.level(ladder.top()), dim, seed), seed);
}

}  // namespace dunlin::layout
