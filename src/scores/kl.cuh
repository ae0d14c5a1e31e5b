// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::scores {

/// kl (dunlin/scores.hpp) of a map in device memory: n x dim positions, n >= 2, dim 2 or 3, in the order of the
/// affinities. Samples the same rows as kl.
Score kl_on_device(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                   const Options& options = {});

}  // namespace dunlin::scores
