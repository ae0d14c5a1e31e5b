// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"

namespace dunlin::mds {

/// Step length of an item; weights: their sum over its pairs.
DUNLIN_HD inline float step_of(double weights, double relaxation) {
    return weights > 0 ? static_cast<float>(relaxation / (2 * weights)) : 0.0F;
}

/// The input of majorization on a CPU.
struct CpuItems {
    const Source* source;
    const float* weights;       ///< n x n, or null: all 1
    Subset moving{nullptr, 0};  ///< the items that move; items null: all
};

/// Computes shape.force, shape.error and shape.stress at shape.y. If only some items move, those of these items; a pair
/// of two of them counts twice.
void pull_all(device::Cpu& cpu, const CpuItems& items, Configuration<device::Cpu>& configuration);

/// Step lengths of all items along their forces: `relaxation`, in (0, 2), times 1 / n if all pairs have weight 1, else
/// times 1 / (2 sum of the item's weights); 0 for an item without pairs.
std::vector<float> steps(device::Cpu& cpu, const CpuItems& items, double relaxation);

}  // namespace dunlin::mds
