// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "mds/spectral/anchored.hpp"

/// The words of anchored.hpp on a GPU.
namespace dunlin::mds {

Anchored<device::Cuda> hold_anchors(device::Cuda& cuda, const Anchors& anchors, const OnDemandRows& feed);
void place_items(device::Cuda& cuda, const Anchored<device::Cuda>& anchors, const device::CudaBuffer<float>& places,
                 Configuration<device::Cuda>& configuration, const Span& some, double tolerance, int* moves);

}  // namespace dunlin::mds
