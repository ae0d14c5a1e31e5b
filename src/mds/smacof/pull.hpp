// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"

namespace dunlin::mds {

/// An item's step from the sum of its weights with the others.
DUNLIN_HD inline float step_of(double weights, double relaxation) {
    return weights > 0 ? static_cast<float>(relaxation / (2 * weights)) : 0.0F;
}

/// What pulls on a CPU.
struct CpuItems {
    const Source* source;
    const float* weights;       ///< n x n, or null: all 1
    Subset moving{nullptr, 0};  ///< whom anything pulls; items null: all
};

/// shape.force, shape.error and shape.stress at shape.y. Where only some move, theirs, and a pair of two that do counts
/// twice.
void pull_all(device::Cpu& cpu, const CpuItems& items, Configuration<device::Cpu>& configuration);

/// How far an item may move along its force in majorization, times `relaxation` in (0, 2): 1 / n, or 1 / 2 of its
/// weights' sum where these differ, where pairs are missing, or where some items are fixed; 0 for an item that nothing
/// pulls.
std::vector<float> steps(device::Cpu& cpu, const CpuItems& items, double relaxation);

}  // namespace dunlin::mds
