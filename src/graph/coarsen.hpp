// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// One level of a hierarchy. Weights are spring strengths: springs in series add their reciprocals, parallel springs
/// add.
struct Level {
    const Graph* graph;
    std::span<const float> lengths;  ///< edge lengths, used for path lengths; empty: 1 each

    [[nodiscard]] float length(Offset edge) const {
        return lengths.empty() ? 1.0F : lengths[static_cast<std::size_t>(edge)];
    }
};

/// A coarser graph and its relation to the finer one.
struct Coarsening {
    Graph graph;
    std::vector<float> lengths;
    std::vector<Index> parent;  ///< coarse vertex of every fine vertex
    std::vector<Index> root;    ///< fine vertex (root) of every coarse vertex
    std::vector<float> reach;   ///< distance of every fine vertex to its root; 0 for roots

    [[nodiscard]] Level level() const { return {&graph, lengths}; }
};

/// Coarsens by a maximal independent set (Luby 1986) whose priorities prefer high degrees and are otherwise random. Its
/// vertices are the roots; every other vertex joins the neighboring root with the strongest edge. Two roots are joined
/// if any vertices of their clusters are: the length is that of the shortest path between them, the strength the sum
/// over all such paths. A mesh shrinks to about a third, a star to its center; isolated vertices remain. The result
/// does not depend on the number of threads.
Coarsening coarsen(device::Cpu& cpu, const Level& fine, std::uint64_t seed);

}  // namespace dunlin::graph
