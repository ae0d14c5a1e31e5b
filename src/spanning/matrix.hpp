// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/run.hpp>

#include "device/cpu.hpp"
#include "hierarchy/merge_tree.hpp"

namespace dunlin::spanning {

/// Distance of each item to its k-th nearest, itself counted, by the rows of a square matrix.
std::vector<double> core_distances(device::Cpu& cpu, MatrixView<const float> distances, Index k);

/// A minimum spanning tree under max(core i, core j, d(i, j) / alpha) by Prim's method. The matrix is symmetric.
std::vector<hierarchy::Edge> spanning_tree(device::Cpu& cpu, MatrixView<const float> distances,
                                           const std::vector<double>& core, double alpha, const Run& run);

}  // namespace dunlin::spanning
