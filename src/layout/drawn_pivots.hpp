// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

namespace dunlin::layout {

/// Up to `most` vertices of a connected graph, drawn at random: their pairs with all others are a fair sample of all
/// pairs, and each counts for as many as there are to one of the sample, d^-2 times n / count. Zero for a pair that
/// an edge joins: edges have terms of their own.
Pivots<device::Cpu> drawn_pivots(device::Cpu& cpu, const graph::Level& level, Index most, std::uint64_t seed);

constexpr Index judges = 100;  ///< pivots by which maps are compared

/// How well distances in a map, n x dim, are those to the pivots: scores::scaled_stress over these pairs, and the
/// scale of the map at which it is that.
struct Fit {
    double stress = 1, scale = 1;
};
Fit fit_of(device::Cpu& cpu, const Pivots<device::Cpu>& pivots, const std::vector<float>& map, int dim);

}  // namespace dunlin::layout
