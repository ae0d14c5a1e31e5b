// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include <algorithm>

#include "device/scratch.cuh"
#include "math/at.hpp"
#include "neighbors/cuda/codes/shorten_lists.cuh"
#include "neighbors/cuda/sorting.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int threads = 128;

/// The entry of an item in a query's list, in all lanes of a warp.
__device__ Entry decoded_entry(const DeviceRows& along, Index query, const CodedRows& rows, Index item) {
    const double square = warp_sum(rows.cols, [&](Index c) {
        const double difference = along.value(query, c) - rows.value(item, c);
        return difference * difference;
    });
    return entry_of(static_cast<float>(square), item);
}

/// Number of entries to keep of a sorted list: `wanted`, and those as near as the last of them.
__device__ int count_with_ties(const Entry* sorted, int count, int wanted) {
    int kept = min(count, wanted);
    while (kept < count && length_of(sorted[kept]) == length_of(sorted[kept - 1])) ++kept;
    return kept;
}

struct ShortenTask {
    DeviceRows along;
    const Index* which;
    CodedRows rows;
    const std::uint8_t* marked;  ///< null: all lists
    int wanted;
    ListsView lists;
    double scale = 1;                    ///< search radius / distance
    const float* distances = nullptr;    ///< search radii
    std::uint8_t* incomplete = nullptr;  ///< null: is not checked

    /// Whether no row that was left out can be among the first `kept` of the sorted list.
    [[nodiscard]] __device__ bool is_complete(Index list, int kept, const Entry* sorted) const {
        if (kept < wanted) return false;
        const double last = sqrt(static_cast<double>(length_of(sorted[kept - 1]))) * scale * (1 + 1e-6);
        return last <= static_cast<double>(distances[list]);
    }
};

/// Block l shortens list l.
__global__ void shorten_kernel(ShortenTask task) {
    extern __shared__ Entry sorted[];
    const auto list = static_cast<Index>(blockIdx.x);
    const Index query = task.which[list];
    const int count = task.lists.counts[list];
    const bool skipped = query < 0 || (task.marked != nullptr && task.marked[list] == 0);
    if (skipped || count > task.lists.capacity) {
        if (task.incomplete != nullptr && threadIdx.x == 0) task.incomplete[list] = skipped ? 0 : 1;
        return;
    }
    Entry* entries = task.lists.entries + Offset{list} * task.lists.capacity;
    const int padded = power_of_two(count);
    for (int i = count + static_cast<int>(threadIdx.x); i < padded; i += threads) sorted[i] = no_entry;
    for (int i = static_cast<int>(threadIdx.x / 32); i < count; i += threads / 32) {
        const Entry entry = decoded_entry(task.along, query, task.rows, item_of(entries[i]));
        if (threadIdx.x % 32 == 0) sorted[i] = entry;
    }
    __syncthreads();
    sort_block(sorted, padded);
    const int kept = task.incomplete == nullptr ? min(count, task.wanted) : count_with_ties(sorted, count, task.wanted);
    for (int i = static_cast<int>(threadIdx.x); i < kept; i += threads) entries[i] = sorted[i];
    if (threadIdx.x != 0) return;
    task.lists.counts[list] = kept;
    if (task.incomplete != nullptr) task.incomplete[list] = task.is_complete(list, kept, sorted) ? 0 : 1;
}

void run(device::Cuda& cuda, Index lists, const ShortenTask& task) {
    const std::size_t shared = static_cast<std::size_t>(task.lists.capacity) * sizeof(Entry);
    device::cuda_check(
        cudaFuncSetAttribute(shorten_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    shorten_kernel<<<static_cast<unsigned>(lists), threads, shared, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

/// One warp per pair of a list and an item.
struct DecodeAll {
    DeviceRows along;
    const Index *which, *some, *items;
    CodedRows rows;
    Offset count;  ///< items
    Entry* entries;
    __device__ void operator()(Offset pair) const {
        const Entry entry = decoded_entry(along, which[some[pair / count]], rows, items[pair % count]);
        if (threadIdx.x % 32 == 0) entries[pair] = entry;
    }
};

/// One warp per list.
struct KeepNearest {
    const Entry* sorted;
    const Index* some;
    Offset count;  ///< items
    int wanted;
    ListsView lists;
    __device__ void operator()(Offset i) const {
        const Entry* from = sorted + i * count;
        const Offset list = some[i];
        const int fit = static_cast<int>(count < lists.capacity + 1 ? count : lists.capacity + 1);
        const int kept = count_with_ties(from, fit, wanted), lane = static_cast<int>(threadIdx.x % 32);
        for (int place = lane; place < min(kept, lists.capacity); place += 32) {
            lists.entries[list * lists.capacity + place] = from[place];
        }
        if (lane == 0) lists.counts[list] = kept;
    }
};

}  // namespace

void shorten_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                      const CodedRows& rows, const device::CudaBuffer<std::uint8_t>& marked, Index wanted,
                      CandidateLists& lists) {
    run(cuda, static_cast<Index>(which.size()), {along, which.data(), rows, marked.data(), wanted, lists.view()});
}

void shorten_all_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                          const CodedRows& rows, double scale, const Reach& reach, Index wanted, CandidateLists& lists,
                          device::CudaBuffer<std::uint8_t>& incomplete) {
    cuda.resize(incomplete, which.size());
    run(cuda, static_cast<Index>(which.size()),
        {along, which.data(), rows, nullptr, wanted, lists.view(), scale, reach.distances.data(), incomplete.data()});
}

void list_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                   const CodedRows& rows, std::span<const Index> some, std::span<const Index> items,
                   std::uint64_t memory, Index wanted, CandidateLists& lists) {
    const Offset count = std::ssize(items), all = std::ssize(some);
    const auto fit = static_cast<Offset>(memory) / (24 * count);
    const Offset batch = std::clamp<Offset>(std::min(fit, (Offset{1} << 26) / count), 1, all);
    device::CudaBuffer<Entry> entries(at(batch * count), cuda.stream()), sorted(at(batch * count), cuda.stream());
    device::CudaBuffer<Index> those, chosen;
    device::CudaBuffer<Offset> ends;
    std::vector<Offset> offsets;
    for (Offset list = 0; list <= batch; ++list) offsets.push_back(list * count);
    cuda.upload(those, items);
    cuda.upload(ends, offsets);
    for (Offset begin = 0; begin < all && !cuda.run().stop.stop_requested(); begin += batch) {
        const Offset now = std::min(batch, all - begin);
        cuda.upload(chosen, some.subspan(at(begin), at(now)));
        each_warp(cuda, now * count,
                  DecodeAll{along, which.data(), chosen.data(), those.data(), rows, count, entries.data()});
        device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
            if (batch == 1) {  // by all blocks, not one
                return cub::DeviceRadixSort::SortKeys(scratch, bytes, entries.data(), sorted.data(), count, 0, 64,
                                                      cuda.stream());
            }
            return cub::DeviceSegmentedRadixSort::SortKeys(scratch, bytes, entries.data(), sorted.data(), now * count,
                                                           now, ends.data(), ends.data() + 1, 0, 64, cuda.stream());
        });
        each_warp(cuda, now, KeepNearest{sorted.data(), chosen.data(), count, wanted, lists.view()});
        cuda.wait();  // so that a stop is noticed
    }
}

}  // namespace dunlin::neighbors
