// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "device/resident.cuh"

namespace dunlin::device {

std::uint64_t allowance(const Cuda& cuda) {
    const std::uint64_t available = backend::cuda_free_memory(cuda.run().gpu()) / 20 * 19;  // 5% for fragmentation
    const std::uint64_t limit = cuda.run().memory, held = backend::cuda_held_memory();
    if (limit == 0) return available;
    return std::min(available, limit > held ? limit - held : 0);
}

DevicePoints hold_points(Cuda& cuda, const InputPoints& points) {
    DevicePoints result{points.host(), {}};
    if (points.is_resident() && result.host.size() > 0) {
        require_resident(cuda, points.resident());
        follow(cuda, points.stream());
        result.callers = points.resident();
        return result;
    }
    const auto values = static_cast<std::size_t>(result.host.size());
    if (values * sizeof(float) <= allowance(cuda) / 2) cuda.upload(result.rows, std::span(result.host.data, values));
    return result;
}

}  // namespace dunlin::device
