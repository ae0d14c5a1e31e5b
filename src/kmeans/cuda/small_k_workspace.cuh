// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/small_k.cuh"

/// What the blocks of the kernel for few clusters have at hand.
namespace dunlin::kmeans::small_k {

constexpr int threads = 256, warps = threads / 32;
constexpr int min_blocks = 4;  ///< of a multiprocessor: rows are waited for by many warps
constexpr Index max_cols = 4, max_clusters = 128;
constexpr int group_rows = 4;  ///< rows of a group: with D columns they are D times 16 bytes
constexpr int rounds = 3;      ///< one is added to, one is read, one is cleared

using Label = std::uint8_t;
constexpr Label no_label = 255;
static_assert(max_clusters < no_label);

struct SmallKTask {
    const float* rows;
    const float* weights;
    Label* labels;
    float* expires;  ///< of each group of rows, the drift from which on it must be looked at again
    float* centroids;
    Bits* sums;
    Bits* changes;
    double* parts;  ///< of the inertia, by block of rows; behind parts_room of them their sum
    Offset parts_room;
    const double* scales;
    LoopState* progress;
    double* drift;  ///< how far any centroid may have come since the run began
    LloydStoppingRule ends;
    Metric metric;
    Index n, clusters;
    int iterations;
    bool assigned;
};

/// How many numbers change: the sums of all clusters, and how many rows did.
template <int D>
DUNLIN_HD Index changes_of(Index clusters) {
    return clusters * (D + 1) + 1;
}

/// So many warps of a block have changes of their own, that fewer wait for each other.
template <int D>
DUNLIN_HD int copies_of(Index clusters) {
    constexpr Index numbers = 1024;
    const Index copies = numbers / changes_of<D>(clusters);
    return copies < 1 ? 1 : copies < warps ? copies : warps;
}

/// What a block has of its own, in shared memory.
struct SmallKWorkspace {
    Bits* sums;        ///< clusters x (D + 1), the run's
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
    /// Where this thread's warp adds.
    template <int D>
    __device__ Bits* changes_of_warp(Index clusters) const {
        const int warp = static_cast<int>(threadIdx.x / 32);
        return changes + warp % copies_of<D>(clusters) * changes_of<D>(clusters);
    }
};
/// The centroids fill whole fours: the compiler reads several floats at once, also where they end in between.
template <int D>
std::size_t workspace_bytes(Index clusters) {
    const auto k = static_cast<std::size_t>(clusters);
    const auto changes = static_cast<std::size_t>(copies_of<D>(clusters) * changes_of<D>(clusters));
    return (k * (D + 1) + changes + D + 1) * sizeof(Bits) + (k * D + 3) / 4 * 4 * sizeof(float);
}

/// Where a warp's items go in a list of the block's, and how many all have.
struct ListSlots {
    int first, all;
};

/// By the whole block, which then meets before it asks again.
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

/// How many lanes before this one are among these.
inline __device__ int before(std::uint32_t lanes) { return __popc(lanes & ((1U << threadIdx.x % 32) - 1)); }

}  // namespace dunlin::kmeans::small_k
