// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/export.hpp>

namespace dunlin {

/// Use of one GPU in a call that ran on several (docs/machines.md).
struct GpuUse {
    int gpu = 0;
    double seconds = 0;          ///< from the start of the work of all GPUs to the end of the work of this one
    double waited = 0;           ///< part of `seconds` in which its thread waited for other GPUs
    std::uint64_t received = 0;  ///< bytes copied from the memory of other GPUs
};

/// Use of each GPU in the last call of this thread that ran on several GPUs, in the order of Run::gpus. Empty if there
/// was no such call.
DUNLIN_API std::vector<GpuUse> last_gpu_use();

}  // namespace dunlin
