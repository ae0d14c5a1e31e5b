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

/// The GPUs that can be used, in the order of Run::gpus; none without a driver or the CUDA backend,
/// libdunlin_cuda.so. Loads the backend.
DUNLIN_API std::vector<Gpu> gpus();

/// Why gpus() has none, without a full stop: the CUDA backend is not installed, or of another version, or no driver has
/// a GPU. Empty where it has one.
DUNLIN_API std::string why_no_gpu();

}  // namespace dunlin
