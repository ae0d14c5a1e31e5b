// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "device/resident.hpp"

namespace dunlin::device {

/// Points in host memory, and also in device memory (row-major n x d) unless they are too large for it; or the caller's
/// points in device memory alone.
struct DevicePoints {
    MatrixView<const float> host;  ///< without data if there is none on the host
    CudaBuffer<float> rows;        ///< empty: not in device memory, or the caller's
    const float* callers = nullptr;

    [[nodiscard]] const float* values() const { return callers != nullptr ? callers : rows.data(); }
    [[nodiscard]] bool held() const { return values() != nullptr; }
};

/// Bytes of device memory that may still be allocated: limited by run.memory and by the free memory. Of several ranks
/// (device/ranks.hpp): the least of all, so that they make the same plans; all must ask.
std::uint64_t allowance(const Cuda& cuda);

/// Copies points of the host to the device if they take at most half of the allowance. Resident points are used where
/// they are, after the work on their stream; throws Error{bad_input} if the GPU does not hold them.
DevicePoints hold_points(Cuda& cuda, const InputPoints& points);

}  // namespace dunlin::device
