// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/export.hpp>

namespace dunlin {

/// What one GPU of several did in a call (docs/machines.md).
struct GpuUse {
    int gpu = 0;
    double seconds = 0;          ///< from the begin of the work of all to the end of its own
    double waited = 0;           ///< of these, its thread waited for others
    std::uint64_t received = 0;  ///< bytes copied from the memory of others
};

/// Use of each GPU in the last call of this thread that ran on several GPUs, in the order of Run::gpus. Empty if there
/// was no such call.
DUNLIN_API std::vector<GpuUse> last_gpu_use();

}  // namespace dunlin
