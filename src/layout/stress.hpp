#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"

/// Placing a graph of up to some thousand vertices so that distances in the map are those along its edges, in the
/// unit of the edges' lengths: little stress, sum_{i < j} d_ij^-2 (|y_i - y_j| - d_ij)^2.
namespace dunlin::layout {

/// How far every vertex is from some of them, and how many others such a pivot stands for.
struct Pivots {
    std::vector<Index> vertices;   ///< k of them
    std::vector<float> distances;  ///< n x k, along edges
    std::vector<float> weights;    ///< n x k, d^-2 times those that the pivot stands for; nought for itself
};

/// All vertices where there are no more than `most`; else `most` of them, each as far as can be from those before.
/// The weights are those of Ortmann, Klimenta and Brandes 2017 ("A sparse stress model"): the vertices of a pivot's
/// region that are at most half as far from it as vertex i is.
Pivots pivots_of(device::Cpu& cpu, const graph::Level& level, Index most);

/// Classical scaling (Torgerson 1952) where every vertex is a pivot: a start for lower_stress.
Map classical_scaling(device::Cpu& cpu, const Pivots& pivots, int dim, std::uint64_t seed);

/// Some steps of localized majorization (Gansner, Koren and North 2004), all vertices at once, over all pivots and,
/// where these are not all vertices, a vertex's neighbours.
void lower_stress(device::Cpu& cpu, const graph::Level& level, const Pivots& pivots, int steps, Map& map);

}  // namespace dunlin::layout
