// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/input/device_source.cuh"
#include "mds/sgd/relax.hpp"

namespace dunlin::mds {

/// What a source of a GPU knows of weights (validation_pairs.hpp).
inline DeviceWeights weights_of(const DeviceSource& source) { return source.weights(); }
inline float largest_weight(const DeviceSource& source) { return source.largest_weight(); }

/// relax_all (relax.hpp) on a GPU.
void relax_all(device::Cuda& cuda, const DeviceSource& source, Configuration<device::Cuda>& configuration,
               const Subset& some, const math::Permutation& shuffle, float mu);

}  // namespace dunlin::mds
