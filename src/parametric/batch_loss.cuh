// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"
#include "parametric/batch_loss.hpp"

namespace dunlin::parametric {

/// batch_kl on a GPU; all arrays are in its memory. Only enqueues work.
template <class Law>
void batch_kl(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, MatrixView<const float> y,
              MatrixView<float> gradient, device::CudaCell<double>& kl);

}  // namespace dunlin::parametric
