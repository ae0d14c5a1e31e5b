// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

/// Sparse stress (Ortmann, Klimenta and Brandes 2017) on a CPU: sum of w_ip (|y_i - y_p| - d_ip)^2 over pivots p and,
/// unless all vertices are pivots, over edges with weight length^-2.
namespace dunlin::layout {

/// `rounds` rounds of Bellman-Ford relaxation of pivots.distances: d(v, p) = min over neighbors u of d(u, p) +
/// length(u, v), all vertices at once. The same for any number of threads.
void relax_distances(device::Cpu& cpu, const graph::Level& level, int rounds, Pivots<device::Cpu>& pivots);

/// to[p] = min(to[p], from[p] + length) for p < count.
void relax_by(float length, const float* from, float* to, Index count);

/// `steps` steps of localized majorization (Gansner, Koren and North 2004), all vertices at once. map: n x dim. pinned:
/// n marks, not 0: the vertex stays; null: all move.
void reduce_stress(device::Cpu& cpu, const graph::Level& level, const Pivots<device::Cpu>& pivots, int steps, int dim,
                   std::vector<float>& map, const std::uint8_t* pinned = nullptr);

/// Copies pivots to the memory of the executor.
inline Pivots<device::Cpu> upload_pivots(device::Cpu& /*cpu*/, Pivots<device::Cpu> pivots) { return pivots; }

}  // namespace dunlin::layout
