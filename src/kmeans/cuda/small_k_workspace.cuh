// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/small_k.cuh"

/// Constants, input and shared-memory layout of the small-K kernel.
namespace dunlin::kmeans::small_k {

constexpr int threads = 256, warps = threads / 32;
constexpr int min_blocks = 4;  ///< per multiprocessor: many warps hide the latency of loads
constexpr Index max_cols = 4, max_clusters = 128;
constexpr int group_rows = 4;  ///< rows of a group: D * 16 bytes with D columns
constexpr int rounds = 3;      ///< buffers of changes: one is added to, one is read, one is cleared

using Label = std::uint8_t;
constexpr Label no_label = 255;
static_assert(max_clusters < no_label);

struct SmallKTask {
    const float* rows;
    const float* weights;
    Label* labels;
    float* expires;  ///< drift at which the bound of each group of rows expires
    float* centroids;
    Bits* sums;
    Bits* changes;
    double* parts;  ///< inertia by block of rows; its sum is at parts[parts_room]
    Offset parts_room;
    const double* scales;
    LoopState* progress;
    double* drift;  ///< bound of the distance that any centroid has moved since the run began
    LloydStoppingRule stopping;
    Metric metric;
    Index n, clusters;
    int iterations;
    bool assigned;
};

/// Number of values in a buffer of changes: the sums of all clusters, and the number of changed rows.
template <int D>
DUNLIN_HD Index changes_of(Index clusters) {
    return clusters * (D + 1) + 1;
}

/// Privatized buffers of changes per block, which reduce contention between its warps.
template <int D>
DUNLIN_HD int copies_of(Index clusters) {
    constexpr Index numbers = 1024;
    const Index copies = numbers / changes_of<D>(clusters);
    return copies < 1 ? 1 : copies < warps ? copies : warps;
}

/// Shared memory of a block.
struct SmallKWorkspace {
    Bits* sums;        ///< clusters x (D + 1), of all rows
    Bits* changes;     ///< copies x changes_of, of this block in this iteration
    double* scales;    ///< D + 1
    float* centroids;  ///< clusters x D

    template <int D>
    __device__ static SmallKWorkspace in(void* memory, Index clusters) {
        auto* sums = static_cast<Bits*>(memory);
        Bits* changes = sums + clusters * (D + 1);
        auto* scales = reinterpret_cast<double*>(changes + copies_of<D>(clusters) * changes_of<D>(clusters));
        return {sums, changes, scales, reinterpret_cast<float*>(scales + D + 1)};
    }
    /// The buffer of changes of this thread's warp.
    template <int D>
    __device__ Bits* changes_of_warp(Index clusters) const {
        const int warp = static_cast<int>(threadIdx.x / 32);
        return changes + warp % copies_of<D>(clusters) * changes_of<D>(clusters);
    }
};
/// Bytes of shared memory. Centroids are padded to a multiple of four floats, because the compiler may load four at
/// once.
template <int D>
std::size_t workspace_bytes(Index clusters) {
    const auto k = static_cast<std::size_t>(clusters);
    const auto changes = static_cast<std::size_t>(copies_of<D>(clusters) * changes_of<D>(clusters));
    return (k * (D + 1) + changes + D + 1) * sizeof(Bits) + (k * D + 3) / 4 * 4 * sizeof(float);
}

/// First position of a warp's items in a list of its block, and the length of the list.
struct ListSlots {
    int first, all;
};

/// Called by the whole block, with a barrier between two calls.
inline __device__ ListSlots slots_of(int items_of_warp) {
    __shared__ int counts[warps];
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) counts[warp] = items_of_warp;
    __syncthreads();
    ListSlots slots{0, 0};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
        slots.first += w < warp ? counts[w] : 0;
        slots.all += counts[w];
    }
    return slots;
}

/// Number of lanes below this one in the mask.
inline __device__ int before(std::uint32_t lanes) { return __popc(lanes & ((1U << threadIdx.x % 32) - 1)); }

}  // namespace dunlin::kmeans::small_k
