// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/density.hpp>

#include "device/resident.hpp"

namespace dunlin::density {

/// estimate() on one device. Fills in everything but the common part of the outcome (device/complete.hpp).
Result estimate_on_cpu(MatrixView<const float> map, const Options& options, const Run& run, const Given& given);

/// values: the fields, if they stay on the GPU.
struct CudaResult {
    Result result;
    DeviceMatrix<float> values, mean;
};
CudaResult estimate_on_cuda(const device::InputPoints& map, const Options& options, const Run& run, const Given& given);

/// The implementation in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(density::estimate_on_cuda) estimate_on_cuda;
}  // namespace backend

}  // namespace dunlin::density
