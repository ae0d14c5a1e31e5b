// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include <dunlin/device_matrix.hpp>
#include <dunlin/run.hpp>

/// Memory of GPUs that callers hold, without a CUDA header.
namespace dunlin::device {

/// Points of a call: in host memory, or resident in the memory of run.gpu(), where the host cannot read them.
class InputPoints {
public:
    InputPoints(MatrixView<const float> points) : rows_(points.rows), cols_(points.cols), host_(points.data) {}
    InputPoints(const DeviceMatrixView<const float>& points)
        : rows_(points.rows), cols_(points.cols), resident_(points.data), stream_(points.stream), is_resident_(true) {}

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] bool is_resident() const { return is_resident_; }
    [[nodiscard]] const float* resident() const { return resident_; }
    [[nodiscard]] void* stream() const { return stream_; }  ///< the cudaStream_t that writes resident points
    /// View of points in host memory. For resident points it has the size but no data.
    [[nodiscard]] MatrixView<const float> host() const { return {host_, rows_, cols_}; }

private:
    Index rows_, cols_;
    const float* host_ = nullptr;
    const float* resident_ = nullptr;
    void* stream_ = nullptr;
    bool is_resident_ = false;
};

/// Copy of `run` for the GPU of the points. Throws Error{bad_input} if `run` names the CPU or another GPU, and
/// Error{no_device} if there is no such GPU.
Run run_on_gpu_of(const DeviceMatrixView<const float>& points, const Run& run);

/// Throws Error{bad_input}: the pointer is not to memory of the GPU. Called by the backend.
[[noreturn]] void fail_for_foreign_pointer(int gpu);

/// Copies between the host and new or caller's memory of a GPU, complete when they return.
std::shared_ptr<void> copy_to_gpu(const void* values, std::size_t bytes, int gpu);
void copy_from_gpu(void* to, const DeviceMatrixView<const float>& from);

/// The implementations in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(device::copy_to_gpu) copy_to_gpu;
decltype(device::copy_from_gpu) copy_from_gpu;
}  // namespace backend

/// `values`, rows x cols, in new memory of the GPU.
template <class T>
DeviceMatrix<T> matrix_on_gpu(std::span<const T> values, Index rows, Index cols, int gpu) {
    if (values.empty()) return {rows, cols, gpu, nullptr};
    return {rows, cols, gpu, std::static_pointer_cast<T>(copy_to_gpu(values.data(), values.size_bytes(), gpu))};
}

}  // namespace dunlin::device
