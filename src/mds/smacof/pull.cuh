// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/agreed_stop.hpp"
#include "device/ranks.cuh"
#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"
#include "mds/input/device_source.cuh"
#include "mds/smacof/stress_rows.hpp"

namespace dunlin::mds {

/// The input of majorization on a GPU.
struct CudaItems {
    const DeviceSource* source;
    const float* weights;                 ///< n rows of padded(n); or null: all 1
    Subset moving{nullptr, 0};            ///< the items that move; items null: all
    device::AgreedStop* ranks = nullptr;  ///< as CpuItems
};

/// pull.hpp on a GPU.
void pull_all(device::Cuda& cuda, const CudaItems& items, Configuration<device::Cuda>& configuration);
void pull_all(device::Cuda& cuda, const Items& items, const float* weights, const Subset& moving,
              Configuration<device::Cuda>& configuration);
device::CudaBuffer<float> steps(device::Cuda& cuda, const CudaItems& items, double relaxation);

/// stress_rows (stress_rows.hpp) on a GPU.
std::vector<StressSums> stress_rows(device::Cuda& cuda, const DeviceSource& source, const float* y, int dim,
                                    std::span<const Index> rows);

}  // namespace dunlin::mds
