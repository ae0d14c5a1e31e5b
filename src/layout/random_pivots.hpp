// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

namespace dunlin::layout {

/// Up to `most` vertices of a connected graph, drawn uniformly: their pairs with all vertices are an unbiased sample of
/// all pairs, with weights n / count d^-2. The weight is 0 for adjacent vertices, whose edge has a term of its own.
Pivots<device::Cpu> random_pivots(device::Cpu& cpu, const graph::Level& level, Index most, std::uint64_t seed);

constexpr Index validation_pivots = 100;  ///< pivots of the sample on which two maps are compared

/// scores::scaled_stress of a map, n x dim, over the pairs with pivots, and the scale of the map that attains it.
struct Fit {
    double stress = 1, scale = 1;
};
Fit fit_of(device::Cpu& cpu, const Pivots<device::Cpu>& pivots, const std::vector<float>& map, int dim);

}  // namespace dunlin::layout
