// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/codes/shorten_lists.cuh"
#include "neighbors/cuda/sorting.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int threads = 128;

struct ShortenTask {
    DeviceRows along;
    const Index* which;
    CodedRows rows;
    const std::uint8_t* marked;
    int wanted;
    ListsView lists;
};

/// Block l shortens list l.
__global__ void shorten_kernel(ShortenTask task) {
    extern __shared__ Entry sorted[];
    const auto list = static_cast<Index>(blockIdx.x);
    const Index query = task.which[list];
    const int count = task.lists.counts[list];
    if (query < 0 || task.marked[list] == 0 || count > task.lists.capacity) return;
    Entry* entries = task.lists.entries + Offset{list} * task.lists.capacity;
    const int padded = power_of_two(count);
    for (int i = count + static_cast<int>(threadIdx.x); i < padded; i += threads) sorted[i] = no_entry;
    for (int i = static_cast<int>(threadIdx.x / 32); i < count; i += threads / 32) {
        const Index item = item_of(entries[i]);
        const double square = warp_sum(task.rows.cols, [&](Index c) {
            const double difference = task.along.value(query, c) - task.rows.value(item, c);
            return difference * difference;
        });
        if (threadIdx.x % 32 == 0) sorted[i] = entry_of(static_cast<float>(square), item);
    }
    __syncthreads();
    sort_block(sorted, padded);
    const int kept = min(count, task.wanted);
    for (int i = static_cast<int>(threadIdx.x); i < kept; i += threads) entries[i] = sorted[i];
    if (threadIdx.x == 0) task.lists.counts[list] = kept;
}

}  // namespace

void shorten_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                      const CodedRows& rows, const device::CudaBuffer<std::uint8_t>& marked, Index wanted,
                      CandidateLists& lists) {
    const std::size_t shared = static_cast<std::size_t>(lists.capacity) * sizeof(Entry);
    device::cuda_check(
        cudaFuncSetAttribute(shorten_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    shorten_kernel<<<static_cast<unsigned>(which.size()), threads, shared, cuda.stream()>>>(
        {along, which.data(), rows, marked.data(), wanted, lists.view()});
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
