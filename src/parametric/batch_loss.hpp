// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "descent/steps.hpp"
#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::parametric {

/// KL(P, Q) of the places y of a batch (n x dim), with the affinities P among its rows, symmetric and of sum 1, and Q
/// by law. Sets gradient, d KL / d y. All pairs of the batch repel each other.
template <class Law>
void batch_kl(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
              MatrixView<float> gradient, device::Cell<double>& kl);

/// An axis of d KL / d y of a point.
DUNLIN_HD inline float batch_gradient(double attraction, double repulsion, double normalizer) {
    return static_cast<float>(4 * descent::gradient_of(attraction, repulsion, 1.0, normalizer));
}
/// KL, given the sum of p log(p / q) without the normalizer, and the sum of p.
DUNLIN_HD inline double batch_kl_of(double cost, double total, double normalizer) {
    return cost + total * std::log(normalizer);
}

}  // namespace dunlin::parametric
