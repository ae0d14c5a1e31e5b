#include "mds/backend.hpp"

#include <algorithm>

#include "device/gpus.hpp"

namespace dunlin::mds {

std::uint64_t bytes_on_gpu(const Dissimilarities& items) {
    const auto rows = static_cast<std::uint64_t>(items.size()),
               cols = static_cast<std::uint64_t>(items.values().cols());
    const std::uint64_t copies = cols % 4 == 0 ? 1 : 2;  // while rows are padded
    return rows * (copies * cols * sizeof(float) + 256);
}

bool fits_on_gpu(const Dissimilarities& items, const Run& run) {
    if (run.device_index >= device::cuda_devices()) return false;
    const std::uint64_t there = device::cuda_device(run.device_index).free_memory;
    return bytes_on_gpu(items) <= (run.memory > 0 ? std::min(there, run.memory) : there) / 10 * 9;
}

}  // namespace dunlin::mds
