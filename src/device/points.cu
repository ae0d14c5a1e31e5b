// SPDX-License-Identifier: Apache-2.0
#include "device/points.cuh"

#include <algorithm>

#include "device/gpus.hpp"
#include "device/ranks.cuh"
#include "device/resident.cuh"

namespace dunlin::device {

namespace {

/// ranks: how many the memory held is of; here: how many share the GPU.
std::uint64_t allowance_of(const Cuda& cuda, std::uint64_t ranks, std::uint64_t here) {
    const std::uint64_t free = backend::cuda_free_memory(cuda.run().gpu()) / here;
    const std::uint64_t available = free / 20 * 19;  // 5% for fragmentation
    const std::uint64_t limit = cuda.run().memory, held = backend::cuda_held_memory() / ranks;
    if (limit == 0) return available;
    return std::min(available, limit > held ? limit - held : 0);
}

}  // namespace

std::uint64_t allowance(const Cuda& cuda) {
    Rank* const rank = Rank::current();
    if (rank == nullptr) return allowance_of(cuda, 1, 1);
    const std::vector<int> gpus = rank->from_all(cuda.run().gpu());  // all have done what they do before
    const auto here = std::count(gpus.begin(), gpus.end(), cuda.run().gpu());
    return rank->least_allowance(allowance_of(cuda, gpus.size(), static_cast<std::uint64_t>(here)));
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
    if (values * sizeof(float) > allowance(cuda) / 2) return result;
    Rank* const rank = Rank::current();
    if (rank == nullptr) {
        cuda.upload(result.rows, std::span(result.host.data, values));
        return result;
    }
    cuda.resize(result.rows, values);  // each rank copies a share from the host
    const auto count = static_cast<Offset>(values);
    const Slice own = rank->slice(count);
    cuda.copy_in(result.rows.data() + own.begin, result.host.data + own.begin,
                 static_cast<std::size_t>(own.size()) * sizeof(float));
    all_gather(cuda, *rank, result.rows.data(), slice_borders(*rank, count));
    return result;
}

}  // namespace dunlin::device
