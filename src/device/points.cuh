// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"

namespace dunlin::device {

/// Points in host memory, and also in device memory (row-major n x d) unless they are too large for it.
struct DevicePoints {
    MatrixView<const float> host;
    CudaBuffer<float> rows;  ///< empty: not in device memory

    [[nodiscard]] bool held() const { return rows.size() > 0; }
};

/// Bytes of device memory that may still be allocated: limited by run.memory and by the free memory.
std::uint64_t allowance(const Cuda& cuda);

/// Copies the points to the device if they take at most half of the allowance.
DevicePoints hold_points(Cuda& cuda, MatrixView<const float> points);

}  // namespace dunlin::device
