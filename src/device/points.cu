// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "device/points.cuh"

namespace dunlin::device {

std::uint64_t allowance(const Cuda& cuda) {
    const std::uint64_t available = backend::cuda_free_memory(cuda.run().gpu()) / 20 * 19;  // 5% for fragmentation
    const std::uint64_t limit = cuda.run().memory, held = backend::cuda_held_memory();
    if (limit == 0) return available;
    return std::min(available, limit > held ? limit - held : 0);
}

DevicePoints hold_points(Cuda& cuda, MatrixView<const float> points) {
    DevicePoints result{points, {}};
    const auto values = static_cast<std::size_t>(points.size());
    if (values * sizeof(float) <= allowance(cuda) / 2) cuda.upload(result.rows, std::span(points.data, values));
    return result;
}

}  // namespace dunlin::device
