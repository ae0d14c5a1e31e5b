// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dunlin/export.hpp>

namespace dunlin {

/// A GPU that a Run may name.
struct Gpu {
    std::string name;
    std::uint64_t memory = 0;       ///< bytes
    std::uint64_t free_memory = 0;  ///< bytes
};

/// The usable GPUs, numbered as in Run::gpus. Empty without a driver or without the CUDA backend, libdunlin_cuda.so.
/// Loads the backend.
DUNLIN_API std::vector<Gpu> gpus();

/// Why gpus() is empty, without a full stop: the CUDA backend is not installed or has another version, or no driver
/// reports a GPU. Empty if there is a GPU.
DUNLIN_API std::string why_no_gpu();

}  // namespace dunlin
