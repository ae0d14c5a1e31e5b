// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"
#include "mds/sgd/group.hpp"

namespace dunlin::mds {

/// Weights of a source on a CPU (validation_pairs.hpp).
inline auto weights_of(const Source& source) {
    return [&source](Index i, Index j) { return source.weight(i, j); };
}
inline float largest_weight(const Source& source) { return source.largest_weight(); }

/// One epoch: the items are shuffled and cut into groups of 32; each group takes its SGD steps.
void sgd_epoch(device::Cpu& cpu, const Source& source, Configuration<device::Cpu>& configuration, const Subset& some,
               const math::Permutation& shuffle, float mu);

}  // namespace dunlin::mds
