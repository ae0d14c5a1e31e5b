// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/input/device_source.cuh"
#include "mds/sgd/epoch.hpp"

namespace dunlin::mds {

/// Weights of a source on a GPU (validation_pairs.hpp).
inline DeviceWeights weights_of(const DeviceSource& source) { return source.weights(); }
inline float largest_weight(const DeviceSource& source) { return source.largest_weight(); }

/// sgd_epoch (epoch.hpp) on a GPU.
void sgd_epoch(device::Cuda& cuda, const DeviceSource& source, Configuration<device::Cuda>& configuration,
               const Subset& some, const math::Permutation& shuffle, float mu);

}  // namespace dunlin::mds
