// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/pivots.hpp"

/// The words of a sparse stress model on a CPU: little sum w_ip (|y_i - y_p| - d_ip)^2 over pivots p and, where these
/// are not all vertices, over edges with their length^-2.
namespace dunlin::layout {

/// Every vertex, at once and `rounds` times, takes the ways to the pivots by way of its neighbors where they are
/// shorter than its own (pivots.distances). The same for any number of threads.
void shorten(device::Cpu& cpu, const graph::Level& level, int rounds, Pivots<device::Cpu>& pivots);

/// to[p] = min(to[p], from[p] + length) for p < count.
void shorten_by(float length, const float* from, float* to, Index count);

/// Some steps of localized majorization (Gansner, Koren and North 2004), all vertices at once; map: n x dim; pinned: n
/// marks, a vertex with another one than 0 stays; null: all move.
void lower_stress(device::Cpu& cpu, const graph::Level& level, const Pivots<device::Cpu>& pivots, int steps, int dim,
                  std::vector<float>& map, const std::uint8_t* pinned = nullptr);

/// Pivots found on a CPU, where an executor works.
inline Pivots<device::Cpu> carried_to(device::Cpu& /*cpu*/, Pivots<device::Cpu> pivots) { return pivots; }

}  // namespace dunlin::layout
