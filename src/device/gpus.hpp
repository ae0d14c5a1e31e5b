// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include <dunlin/error.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/run.hpp>

/// Queries of GPUs that need no CUDA header.
namespace dunlin::device {

/// Number of GPUs; 0 without a driver or the CUDA backend.
int cuda_devices();
/// Throws Error{no_device} if there is no such GPU, or no CUDA backend.
Gpu cuda_device(int index);

/// Free memory of a GPU in bytes, including memory that this process has freed but keeps.
std::uint64_t cuda_free_memory(int index);

/// Bytes of device memory currently held, over all devices.
std::uint64_t cuda_held_memory();
/// Peak of device memory held since the last reset in bytes, over all devices.
std::uint64_t cuda_peak_memory();
void reset_cuda_peak_memory();

/// The implementations in libdunlin_cuda, which the functions above call (backend/table.hpp).
namespace backend {
decltype(device::cuda_devices) cuda_devices;
decltype(device::cuda_device) cuda_device;
decltype(device::cuda_free_memory) cuda_free_memory;
decltype(device::cuda_held_memory) cuda_held_memory;
decltype(device::cuda_peak_memory) cuda_peak_memory;
decltype(device::reset_cuda_peak_memory) reset_cuda_peak_memory;
}  // namespace backend

/// Bytes that a run may take on its GPU: most of what is free, at most Run::memory.
std::uint64_t gpu_allowance(const Run& run);

/// An error of several ranks whose sentence names the GPUs that it is about: rethrow_naming (device/ranks.hpp) does not
/// add the GPU of the rank that throws it.
class ErrorOfGpus : public Error {
public:
    using Error::Error;
};

/// Throws Error{out_of_memory} if `what` needs more bytes than allowed; call before it starts. Of several ranks, the
/// sentence names the GPUs that have less, if `allowed` is what they agreed on (Rank::least_allowance).
void require_gpu_memory(std::uint64_t wanted, std::uint64_t allowed, std::string_view what);

// Error messages of the backend: nvcc 13 cannot compile fmt, so *.cu files call these functions.

[[noreturn]] void fail_on_gpu(std::string_view message, const std::source_location& where);
[[noreturn]] void fail_for_gpu_memory(std::uint64_t wanted, std::uint64_t held, std::uint64_t available,
                                      const std::source_location& where);
[[noreturn]] void fail_without_gpu(int index, int count);

}  // namespace dunlin::device
