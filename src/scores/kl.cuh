// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "graph/half_graph.cuh"

namespace dunlin::scores {

/// kl (dunlin/scores.hpp) of a map in device memory: n x dim positions, n >= 2, dim 2 or 3, in the order of the
/// affinities, with q' = law.mass. Samples the same rows as kl.
template <class Law, class Graph>
Score kl_on_device(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
                   const Options& options = {});

}  // namespace dunlin::scores
