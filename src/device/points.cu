#include "device/gpus.hpp"
#include "device/points.cuh"

namespace dunlin::device {

namespace {

/// What the process holds and does not use at the moment counts as free.
std::uint64_t free_memory_of(int device) {
    std::size_t available = 0, total = 0;
    cuda_check(cudaMemGetInfo(&available, &total));
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0, used = 0;
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, device));
    cuda_check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    cuda_check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return available + reserved - used;
}

}  // namespace

std::uint64_t allowance(const Cuda& cuda) {
    const std::uint64_t available = free_memory_of(cuda.run().device_index) / 20 * 19;  // fragments
    const std::uint64_t limit = cuda.run().memory, held = cuda_held_memory();
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
