// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include <dunlin/gpus.hpp>

/// What of a GPU can be said without CUDA's headers.
namespace dunlin::device {

/// How many GPUs there are; 0 without a driver or the CUDA backend.
int cuda_devices();
/// Throws Error{no_device} if there is no such GPU, or no CUDA backend.
Gpu cuda_device(int index);

/// Bytes that may still be taken there; what this process has freed and keeps counts as free.
std::uint64_t cuda_free_memory(int index);

/// Bytes of device memory held at the moment, over all devices.
std::uint64_t cuda_held_memory();
/// The most bytes of device memory held at once since the last reset, over all devices.
std::uint64_t cuda_peak_memory();
void reset_cuda_peak_memory();

/// libdunlin_cuda's own functions, which those above call (backend/table.hpp).
namespace backend {
decltype(device::cuda_devices) cuda_devices;
decltype(device::cuda_device) cuda_device;
decltype(device::cuda_free_memory) cuda_free_memory;
decltype(device::cuda_held_memory) cuda_held_memory;
decltype(device::cuda_peak_memory) cuda_peak_memory;
decltype(device::reset_cuda_peak_memory) reset_cuda_peak_memory;
}  // namespace backend

/// Throws Error{out_of_memory} if `what` needs more bytes than may be taken; before it starts.
void require_gpu_memory(std::uint64_t wanted, std::uint64_t allowed, std::string_view what);

// Sentences of the backend's errors: fmt is beyond nvcc 13, so *.cu call these.

[[noreturn]] void fail_on_gpu(std::string_view message, const std::source_location& where);
[[noreturn]] void fail_for_gpu_memory(std::uint64_t wanted, std::uint64_t held, std::uint64_t available,
                                      const std::source_location& where);
[[noreturn]] void fail_without_gpu(int index, int count);

}  // namespace dunlin::device
