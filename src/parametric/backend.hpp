// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dunlin/device_matrix.hpp>
#include <dunlin/parametric.hpp>

#include "device/resident.hpp"
#include "parametric/resolve.hpp"

/// Functions that each kind of device implements. They expect resolved options and checked inputs.
namespace dunlin::parametric {

/// The training on run.gpu(), without what is common to all devices.
Result train_on_cuda(MatrixView<const float> points, const Options& resolved, const PointStatistics& statistics,
                     const Run& run);

/// A model in the memory of a GPU.
class GpuModel {
public:
    GpuModel() = default;
    virtual ~GpuModel() = default;
    GpuModel(const GpuModel&) = delete;
    GpuModel& operator=(const GpuModel&) = delete;
    GpuModel(GpuModel&&) = delete;
    GpuModel& operator=(GpuModel&&) = delete;

    /// Sets places (rows x dim, on the host). Throws Error{bad_input} for rows that are not finite, and
    /// progress::Cancelled.
    virtual void place(const device::InputPoints& rows, const Run& run, float* places) = 0;
    /// Returns places (rows x dim) in new memory of the GPU.
    virtual DeviceMatrix<float> place(const DeviceMatrixView<const float>& rows, const Run& run) = 0;
};

std::unique_ptr<GpuModel> hold_on_cuda(const Model& model, const Run& run);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(parametric::train_on_cuda) train_on_cuda;
decltype(parametric::hold_on_cuda) hold_on_cuda;
}  // namespace backend

}  // namespace dunlin::parametric
