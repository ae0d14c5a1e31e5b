// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_segmented_radix_sort.cuh>

#include <limits>

#include "device/scratch.cuh"
#include "neighbors/cuda/exact/brute_force.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Keys of all pairs, and the known nearest before them.
struct MeasureAll {
    ItemRows queries, base;
    const Index* which;
    Index known;
    const double* nearest_keys;
    const Index* nearest_items;
    Offset stride;
    double* keys;
    Index* items;

    __device__ void operator()(Offset pair) const {
        const Index query = which[pair / stride];
        const auto place = static_cast<Index>(pair % stride);
        if (place < known) {
            if (threadIdx.x % 32 != 0) return;
            keys[pair] = nearest_keys[Offset{query} * known + place];
            items[pair] = nearest_items[Offset{query} * known + place];
            return;
        }
        const Index item = base.item(place - known);
        const bool self = item == queries.item(query);
        const double key = self ? INFINITY : warp_key(queries.rows, query, base.rows, place - known);
        if (threadIdx.x % 32 != 0) return;
        keys[pair] = key;
        items[pair] = self ? std::numeric_limits<Index>::max() : item;
    }
};

/// Keeps the first `wanted` of each sorted list; of those with the key of the last one, the ones with the least ids.
/// One warp per list.
struct Keep {
    const Index* which;
    ItemRows base;
    Index wanted;
    Offset stride;
    const double* keys;
    const Index* items;
    double* nearest_keys;
    Index* nearest_items;

    __device__ void operator()(Offset list) const {
        const double* key = keys + list * stride;
        const Index* item = items + list * stride;
        const Offset to = Offset{which[list]} * wanted;
        const double last = key[wanted - 1];
        int nearer = 0;
        for (Index i = lane(); i < wanted; i += 32) {
            nearer += key[i] < last ? 1 : 0;
            if (key[i] < last) nearest_keys[to + i] = key[i], nearest_items[to + i] = item[i];
        }
        const Index begin = __reduce_add_sync(~0U, nearer);
        std::int64_t id = -1;
        for (Index kept = begin; kept < wanted; ++kept) {
            const Entry next = least_of(key, item, begin, last, id);
            id = static_cast<std::int64_t>(next >> 32);
            if (lane() == 0) nearest_keys[to + kept] = last, nearest_items[to + kept] = item_of(next);
        }
    }

private:
    __device__ static Index lane() { return static_cast<Index>(threadIdx.x % 32); }

    /// The item with the least id above `id` among those with this key, from `begin` on, as (id, item); none: the
    /// greatest. For the whole warp.
    __device__ Entry least_of(const double* key, const Index* item, Offset begin, double far, std::int64_t id) const {
        constexpr auto none = std::numeric_limits<Index>::max();
        Entry least = Entry{none} << 32 | none;
        for (Offset i = begin + lane(); i < stride && key[i] == far; i += 32) {
            if (item[i] == none || base.id(item[i]) <= id) continue;
            least = min(least, static_cast<Entry>(base.id(item[i])) << 32 | static_cast<std::uint32_t>(item[i]));
        }
        for (int lanes = 16; lanes > 0; lanes /= 2) least = min(least, __shfl_xor_sync(~0U, least, lanes));
        return least;
    }
};

/// Both sides of a sort.
struct SortBuffers {
    CudaBuffer<double> keys[2];
    CudaBuffer<Index> items[2];
};

void sort_rows(Cuda& cuda, Offset rows, Offset stride, const CudaBuffer<Offset>& ends, SortBuffers& pairs) {
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedRadixSort::SortPairs(scratch, bytes, pairs.keys[0].data(), pairs.keys[1].data(),
                                                        pairs.items[0].data(), pairs.items[1].data(), rows * stride,
                                                        rows, ends.data(), ends.data() + 1, 0, 64, cuda.stream());
    });
}

}  // namespace

std::uint64_t sorting_bytes(Index base_rows, Index wanted) {
    return (static_cast<std::uint64_t>(base_rows) + static_cast<std::uint64_t>(wanted)) * 36 + 4096;
}

void rank_by_sorting(Cuda& cuda, const ItemRows& queries, std::span<const Index> which, const ItemRows& base,
                     bool merge, std::uint64_t memory, NearestLists& nearest) {
    const Index wanted = nearest.wanted, known = merge ? wanted : 0;
    const Offset stride = Offset{base.rows.count} + known, all = std::ssize(which);
    const Offset fit = static_cast<Offset>(memory / sorting_bytes(base.rows.count, known));
    const Offset batch = std::clamp<Offset>(std::min(fit, (Offset{1} << 25) / stride), 1, std::max<Offset>(all, 1));
    SortBuffers pairs;
    for (int side = 0; side < 2; ++side) {
        cuda.resize(pairs.keys[side], static_cast<std::size_t>(batch * stride));
        cuda.resize(pairs.items[side], static_cast<std::size_t>(batch * stride));
    }
    std::vector<Offset> offsets;
    for (Offset row = 0; row <= batch; ++row) offsets.push_back(row * stride);
    CudaBuffer<Offset> ends;
    cuda.upload(ends, offsets);
    for (Offset begin = 0; begin < all && !cuda.run().stop.stop_requested(); begin += batch) {
        const Offset rows = std::min(batch, all - begin);
        CudaBuffer<Index> chosen;
        cuda.upload(chosen, which.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)));
        each_warp(cuda, rows * stride,
                  MeasureAll{queries, base, chosen.data(), known, nearest.keys.data(), nearest.items.data(), stride,
                             pairs.keys[0].data(), pairs.items[0].data()});
        sort_rows(cuda, rows, stride, ends, pairs);
        each_warp(cuda, rows,
                  Keep{chosen.data(), base, wanted, stride, pairs.keys[1].data(), pairs.items[1].data(),
                       nearest.keys.data(), nearest.items.data()});
        cuda.wait();  // so that a stop is noticed
    }
}

}  // namespace dunlin::neighbors
