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

/// The GPUs that this build can use, in the order of Run::device_index; none without a driver or the CUDA backend.
DUNLIN_API std::vector<Gpu> gpus();

/// Whether this build has the CUDA backend.
DUNLIN_API bool built_with_cuda();

}  // namespace dunlin
