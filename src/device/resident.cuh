// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "device/resident.hpp"

namespace dunlin::device {

/// Work that is enqueued on `cuda` from now on waits for what is enqueued on the caller's stream.
void follow(Cuda& cuda, void* stream);

/// Throws Error{bad_input} unless the pointer is to memory of the GPU of `cuda`.
void require_resident(const Cuda& cuda, const void* memory);

/// Memory for the caller on this GPU. It does not belong to a stream: the last owner frees it after all work of the
/// GPU.
std::shared_ptr<void> memory_for_caller(Cuda& cuda, std::size_t bytes);

/// A copy of the values for the caller. Enqueues; complete after cuda.wait().
template <class T>
DeviceMatrix<T> matrix_for_caller(Cuda& cuda, const T* values, Index rows, Index cols) {
    const int gpu = cuda.run().gpu();
    const std::size_t bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(T);
    if (bytes == 0) return {rows, cols, gpu, nullptr};
    auto memory = std::static_pointer_cast<T>(memory_for_caller(cuda, bytes));
    cuda_check(cudaMemcpyAsync(memory.get(), values, bytes, cudaMemcpyDeviceToDevice, cuda.stream()));
    return {rows, cols, gpu, std::move(memory)};
}

}  // namespace dunlin::device
