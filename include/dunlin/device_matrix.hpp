// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <dunlin/types.hpp>

namespace dunlin {

/// A row-major matrix in the memory of a GPU, which it does not own.
template <class T>
struct DeviceMatrixView {
    T* data = nullptr;
    Index rows = 0;
    Index cols = 0;
    int gpu = 0;             ///< number of the GPU, as in Run::gpus
    void* stream = nullptr;  ///< the cudaStream_t that writes the values; null: the legacy default stream

    [[nodiscard]] Offset size() const { return Offset{rows} * cols; }
};

/// A row-major matrix in the memory of a GPU, complete on all streams. Copies share the values. The last copy frees
/// them, after the work that was enqueued on this GPU before.
template <class T>
class DeviceMatrix {
public:
    DeviceMatrix() = default;
    DeviceMatrix(Index rows, Index cols, int gpu, std::shared_ptr<T> values)
        : rows_(rows), cols_(cols), gpu_(gpu), values_(std::move(values)) {}

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] int gpu() const { return gpu_; }
    [[nodiscard]] T* data() const { return values_.get(); }
    [[nodiscard]] const std::shared_ptr<T>& values() const { return values_; }
    [[nodiscard]] DeviceMatrixView<const T> view() const { return {values_.get(), rows_, cols_, gpu_}; }

private:
    Index rows_ = 0;
    Index cols_ = 0;
    int gpu_ = 0;
    std::shared_ptr<T> values_;
};

}  // namespace dunlin
