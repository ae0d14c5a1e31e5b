// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/input/device_source.cuh"
#include "mds/spectral/spectral.hpp"
#include "stress/farthest_first.cuh"

/// spectral.hpp on a GPU.
namespace dunlin::mds {

void distances_to(device::Cuda& cuda, const DeviceSource& source, std::span<const Index> chosen, float* to,
                  Index stride, const Run& run);
/// c'c of c, n x count.
std::vector<double> gram_of(device::Cuda& cuda, Index n, const device::CudaBuffer<float>& c, Index count);
template <class Source>
std::vector<double> gram(device::Cuda& cuda, const Source& source, const device::CudaBuffer<float>& c, Index count) {
    return gram_of(cuda, source.size(), c, count);
}
std::vector<double> squares_times(device::Cuda& cuda, const DeviceSource& source, const std::vector<double>& v,
                                  Index width);
device::CudaBuffer<float> principal_axes(device::Cuda& cuda, const Dissimilarities& items, const DeviceSource& source,
                                         int dim);

}  // namespace dunlin::mds
