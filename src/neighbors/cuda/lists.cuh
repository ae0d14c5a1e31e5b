// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// Rows that may be neighbors, per query: a length that is never too long, squared where distances are, and which row.
/// As a number, the nearer is the lesser, ties by row.
using Entry = unsigned long long;
constexpr Entry no_entry = ~Entry{0};
constexpr int no_query = 1 << 30;  ///< the count of a list that is no query's

__device__ inline Entry entry_of(float length, Index item) {
    return static_cast<Entry>(__float_as_uint(fmaxf(length, 0.0F))) << 32 | static_cast<std::uint32_t>(item);
}
__device__ inline float length_of(Entry entry) { return __uint_as_float(static_cast<unsigned>(entry >> 32)); }
__device__ inline Index item_of(Entry entry) { return static_cast<Index>(static_cast<std::uint32_t>(entry)); }

/// What kernels see of the lists of a block of queries.
struct ListsView {
    Entry* entries;  ///< queries x capacity
    int* counts;     ///< what was offered, which may be more than the capacity
    int capacity;

    /// The order in which entries come does not matter: a list that holds all is sorted before it is used, one that
    /// is too short is not used.
    __device__ void append(Index query, Entry entry) const { put(query, take(query), entry); }
    /// The same in two steps: a place in the list, and what goes there.
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

/// What a length in a list means: how it compares with a distance of the metric.
struct Measure {
    bool absolute = false;  ///< not squared
    double scale = 1;       ///< lengths are this many times distances
    double shortened = 0;   ///< by which share a length may be too short, as the sums were rounded
    double error = 0;       ///< how far rounding may have moved two rows to or from each other
};

}  // namespace dunlin::neighbors
