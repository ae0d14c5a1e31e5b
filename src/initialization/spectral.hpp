// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::initialization {

/// Laplacian eigenmap of a symmetric weighted graph (Belkin and Niyogi 2003): the coordinates of a point are its values
/// in the first eigenvectors, after the constant one, of the random walk's Laplacian. A connected graph gets the first
/// axis' standard deviation `deviation` and normal noise of a hundredth of it. Each component of a disconnected graph
/// is laid out by its own eigenvectors, with the center and the root mean square radius that it has in `start`;
/// components of at most dim + 1 points keep their places there. `start`: a map of the points by other means, with this
/// standard deviation, whose dimension is that of the result.
Map spectral_start(device::Cpu& cpu, const Graph& graph, Map start, double deviation, std::uint64_t seed);

}  // namespace dunlin::initialization
