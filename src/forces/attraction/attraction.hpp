// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::forces {

/// force row i = sum over edges (i, j) of p_ij q_ij (y_i - y_j), q = 1 / (1 + |y_i - y_j|^2): the attractive part of
/// t-SNE's gradient. y and force are n x dim, dim 2 or 3. Every row of force is written.
void attract(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, MatrixView<float> force);

/// cost = sum over edges of p_ij log(p_ij / q_ij), q unnormalized; KL(P, Q) = cost + log(Z) where the p_ij sum to 1.
void attract_cost(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, device::Cell<double>& cost);

}  // namespace dunlin::forces
