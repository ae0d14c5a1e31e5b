// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "mds/spectral/landmarks.hpp"

/// landmarks.hpp on a GPU.
namespace dunlin::mds {

HeldLandmarks<device::Cuda> hold_landmarks(device::Cuda& cuda, const Landmarks& landmarks, const OnDemandRows& feed);
void place_items(device::Cuda& cuda, const HeldLandmarks<device::Cuda>& landmarks,
                 const device::CudaBuffer<float>& places, Configuration<device::Cuda>& configuration,
                 const ItemRange& some, double tolerance, int* moves);

}  // namespace dunlin::mds
