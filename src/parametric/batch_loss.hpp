// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::parametric {

/// KL(P, Q) of the places y of a batch (n x dim), with the affinities P among its rows, symmetric and of sum 1, and Q
/// by law. Sets gradient, d KL / d y. All pairs of the batch repel each other.
template <class Law>
double batch_kl(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
                MatrixView<float> gradient);

}  // namespace dunlin::parametric
