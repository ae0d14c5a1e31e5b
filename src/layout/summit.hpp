// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

namespace dunlin::layout {

constexpr Index coarsest = 500;  ///< vertices of the coarsest graph, at most

/// A small level: a map of little stress, and the pivots that all finer levels keep.
struct Summit {
    Map map;
    std::vector<Index> pivots;     ///< vertices, `most_pivots` at most
    std::vector<float> distances;  ///< n x pivots, along edges
};

/// Of a connected graph of some thousand vertices. Of its coarser ones that of at most `coarsest` vertices is placed by
/// classical scaling (Torgerson 1952) and stress majorization (Gansner, Koren and North 2004) over all pairs; each
/// finer one from that, over pivots of its own, with distances as they are along edges.
Summit summit_of(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed);

/// From every vertex to every other along edges, n x n.
std::vector<float> all_distances(device::Cpu& cpu, const graph::Level& level);

/// Classical scaling of n x n distances.
Map classical_scaling(device::Cpu& cpu, const std::vector<float>& distances, Index n, int dim, std::uint64_t seed);

/// Up to `most` vertices: first the one farthest from vertex 0, then always the farthest from those before.
Pivots<device::Cpu> farthest_pivots(device::Cpu& cpu, const graph::Level& level, Index most);

}  // namespace dunlin::layout
