// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"

namespace dunlin::device {

/// Points in host memory, and in device memory too (row-major n x d) unless they are larger than what may be held
/// there.
struct DevicePoints {
    MatrixView<const float> host;
    CudaBuffer<float> rows;  ///< empty: not held

    [[nodiscard]] bool held() const { return rows.size() > 0; }
};

/// Bytes of device memory that may still be taken: of run.memory, or of what is free when run.memory is 0.
std::uint64_t allowance(const Cuda& cuda);

/// Copies the points to the device if they take no more than half of the allowance.
DevicePoints hold_points(Cuda& cuda, MatrixView<const float> points);

}  // namespace dunlin::device
