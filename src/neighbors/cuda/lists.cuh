// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// A candidate: the bits of a length (a lower bound, squared like the distances) above the row. As integers, nearer
/// candidates are less, ties by row.
using Entry = unsigned long long;
constexpr Entry no_entry = ~Entry{0};
constexpr int no_query = 1 << 30;  ///< count of a list without a query

__device__ inline Entry entry_of(float length, Index item) {
    return static_cast<Entry>(__float_as_uint(fmaxf(length, 0.0F))) << 32 | static_cast<std::uint32_t>(item);
}
__device__ inline float length_of(Entry entry) { return __uint_as_float(static_cast<unsigned>(entry >> 32)); }
__device__ inline Index item_of(Entry entry) { return static_cast<Index>(static_cast<std::uint32_t>(entry)); }

/// The candidate lists of a block of queries, for kernels.
struct ListsView {
    Entry* entries;  ///< queries x capacity
    int* counts;     ///< number offered, which may exceed the capacity
    int capacity;

    /// The order of appends does not matter: a complete list is sorted before use, an overflowed one is not used.
    __device__ void append(Index query, Entry entry) const { put(query, take(query), entry); }
    /// append() in two steps: take() reserves a position, put() writes the entry.
    [[nodiscard]] __device__ int take(Index query) const { return atomicAdd(counts + query, 1); }
    __device__ void put(Index query, int place, Entry entry) const {
        if (place < capacity) entries[Offset{query} * capacity + place] = entry;
    }
};

struct CandidateLists {
    device::CudaBuffer<Entry> entries;
    device::CudaBuffer<int> counts;
    int capacity = 0;  ///< a power of two, 1,024 to 8,192

    [[nodiscard]] ListsView view() const { return {entries.data(), counts.data(), capacity}; }
};

/// The relation between the lengths in lists and the metric's distances.
struct Measure {
    bool absolute = false;  ///< lengths are not squared
    double scale = 1;       ///< length / distance
    double shortened = 0;   ///< relative error by which rounding may shorten a length
    double error = 0;       ///< absolute error of a distance by rounding of the two rows
};

}  // namespace dunlin::neighbors
