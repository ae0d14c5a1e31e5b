// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

namespace dunlin::layout {

constexpr Index coarsest = 500;  ///< largest number of vertices of the coarsest graph

/// Layout of a small level, and the pivots that all finer levels inherit.
struct CoarsestLayout {
    Map map;
    std::vector<Index> pivots;     ///< at most max_pivots vertices
    std::vector<float> distances;  ///< n x pivots, along edges
};

/// Places a connected graph of some thousand vertices. It is coarsened to at most `coarsest` vertices; these are placed
/// by classical scaling (Torgerson 1952) and stress majorization (Gansner, Koren and North 2004) over all pairs. Each
/// finer level starts from the coarser one and is majorized over pivots of its own, with exact distances.
CoarsestLayout place_coarsest(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed);

/// Shortest-path distances, n x n.
std::vector<float> all_distances(device::Cpu& cpu, const graph::Level& level);

/// Classical scaling of n x n distances, with jitter for vertices at equal distances.
Map classical_scaling(device::Cpu& cpu, const std::vector<float>& distances, Index n, int dim, std::uint64_t seed);

/// Up to `most` vertices by farthest-first traversal; the first is the one farthest from vertex 0.
Pivots<device::Cpu> farthest_pivots(device::Cpu& cpu, const graph::Level& level, Index most);

}  // namespace dunlin::layout
