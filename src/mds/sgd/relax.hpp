// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"
#include "mds/sgd/group.hpp"

namespace dunlin::mds {

/// What a source of a CPU knows of weights (validation_pairs.hpp).
inline auto weights_of(const Source& source) {
    return [&source](Index i, Index j) { return source.weight(i, j); };
}
inline float largest_weight(const Source& source) { return source.largest_weight(); }

/// One step: the items are shuffled and cut into groups of 32, which move among themselves.
void relax_all(device::Cpu& cpu, const Source& source, Configuration<device::Cpu>& configuration, const Subset& some,
               const math::Permutation& shuffle, float mu);

}  // namespace dunlin::mds
