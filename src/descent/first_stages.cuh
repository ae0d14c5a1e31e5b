// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/outcome.hpp>

#include "descent/first_stages.hpp"
#include "device/points.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::descent {

/// FirstStages in device memory; the graph is the given one or the found one.
struct CudaFirstStages {
    device::CudaBuffer<float> start;
    neighbors::FoundOnDevice found;
    Seconds seconds;
    device::DevicePoints points;  ///< reduced to principal components, if they were
};

/// first_stages on a GPU.
CudaFirstStages first_stages(device::Cuda& cuda, const device::InputPoints& points, const PointOptions& options,
                             const Given& given);

}  // namespace dunlin::descent
