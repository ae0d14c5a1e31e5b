// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/device_matrix.hpp>
#include <dunlin/narrow.hpp>

namespace dunlin::io {

/// A matrix in the memory of a GPU, written by a stream (a cudaStream_t).
struct ForeignOnGpu {
    ForeignMatrix matrix;
    int gpu = 0;
    void* stream = nullptr;
};

/// What narrowing found, besides the floats.
struct NarrowedOnGpu {
    DeviceMatrix<float> values;
    Offset bad = -1;        ///< row * cols + column of the first number that float32 cannot hold; -1: none
    double number = 0;      ///< that number
    bool visible = false;   ///< a stored number is not 0
    bool vanished = false;  ///< a number other than 0 is stored as 0
};

/// `rows` rows of the matrix, evenly spread (shift.hpp), as doubles on the host.
std::vector<double> sample_on_gpu(const ForeignOnGpu& foreign, Index rows);

/// Converts all numbers on the GPU, less the shift of their columns (empty: nothing). The matrix has at least one
/// number.
NarrowedOnGpu narrow_on_gpu(const ForeignOnGpu& foreign, const std::vector<double>& shift);

/// The implementations in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(io::sample_on_gpu) sample_on_gpu;
decltype(io::narrow_on_gpu) narrow_on_gpu;
}  // namespace backend

}  // namespace dunlin::io
