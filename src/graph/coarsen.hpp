// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// A graph as layout coarsens it. Its weights are strengths: a chain of edges pulls as springs in a row do, edges side
/// by side add up.
struct Level {
    const Graph* graph;
    std::span<const float> lengths;  ///< of its edges, along which distances are measured; empty: 1 each

    [[nodiscard]] float length(Offset edge) const {
        return lengths.empty() ? 1.0F : lengths[static_cast<std::size_t>(edge)];
    }
};

/// A coarser graph and how the finer one hangs on it.
struct Coarsening {
    Graph graph;
    std::vector<float> lengths;
    std::vector<Index> parent;  ///< of every fine vertex: the coarse one it belongs to
    std::vector<Index> root;    ///< of every coarse vertex: the fine one that stays
    std::vector<float>
        reach;  ///< of every fine vertex: how long its edge to the one it joined is; 0 of those that stay

    [[nodiscard]] Level level() const { return {&graph, lengths}; }
};

/// Some vertices, no two of them neighbors and every other one next to some (a maximal independent set: Luby 1986,
/// by priorities that prefer high degrees and are otherwise random), stay; every other vertex joins the one of them it
/// hangs on most strongly. Two roots are joined where any vertices of their clusters are: as long as the shortest
/// way between them, as strong as all such ways together. A mesh shrinks to about a third, a star to its center; what
/// has no edges stays as it is. The same for any number of threads.
Coarsening coarsen(device::Cpu& cpu, const Level& fine, std::uint64_t seed);

}  // namespace dunlin::graph
