// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "device/cancel.hpp"
#include "layout/coarsest.hpp"
#include "layout/drawing.hpp"
#include "layout/ladder.hpp"
#include "layout/pivots.hpp"
#include "layout/sparse_stress.hpp"
#include "layout/unfold.hpp"

namespace dunlin::layout {

/// The global shape: a map of the finest level, n x dim, in which distances are those along edges, in the unit of the
/// edges' lengths. From the summit, which is the ladder's last level, to the next finer one, and little stress again.
template <class Exec, class Level, class Coarsening>
auto outline_of(Exec& exec, const Ladder<Level, Coarsening>& ladder, const CoarsestLayout& summit, std::uint64_t seed) {
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
        map = unfolded(exec, level, ladder.steps[l], map, dim, seed + l);
        device::cancellation_point();
        pivots = prolongate_pivots(exec, level, ladder.steps[l], pivots, pivots_for(n));
        reduce_stress(exec, level, pivots, steps_for(n), dim, map);
    }
    exec.each(static_cast<Offset>(map.size()), Shake{map.data(), seed + ladder.top()});
    return map;
}

/// The same on a CPU, from the graph.
inline std::vector<float> outline_of(device::Cpu& cpu, const graph::Level& graph, int dim, std::uint64_t seed) {
    const auto ladder = ladder_of(cpu, graph, seed);
    return outline_of(cpu, ladder, place_coarsest(cpu, ladder.level(ladder.top()), dim, seed), seed);
}

}  // namespace dunlin::layout
