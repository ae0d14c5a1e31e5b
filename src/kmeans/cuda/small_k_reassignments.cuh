// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/small_k_workspace.cuh"

/// Rows that change their cluster: queued until there is one for each lane of a warp.
namespace dunlin::kmeans::small_k {

/// A row (-1: none) and its old and new cluster.
struct Reassignment {
    Index row;
    Label from, to;
};

/// Sum over a warp, for all lanes, of integers of magnitude below 2^53.
inline __device__ Sum warp_sum(Sum value) {
#if __CUDA_ARCH__ >= 800
    constexpr int bits = 27;  // sums of 32 such parts fit 32 bits
    const auto low = static_cast<unsigned>(value) & ((1U << bits) - 1);
    const auto high = static_cast<int>(value >> bits);
    return (Sum{__reduce_add_sync(~0U, high)} << bits) + __reduce_add_sync(~0U, low);
#else
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    return value;
#endif
}

/// A row's weighted coordinates and its weight as integers.
template <int D>
__device__ void integers_of(const SmallKTask& task, const SmallKWorkspace& workspace, Index row, Sum (&values)[D + 1]) {
    const bool here = row >= 0;
    const double weight = here && task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
#pragma unroll
    for (int c = 0; c < D; ++c) {
        const float x = here ? task.rows[Offset{row} * D + c] : 0;
        values[c] = to_integer(weight * static_cast<double>(x), workspace.scales[c]);
    }
    values[D] = to_integer(weight, workspace.scales[D]);
}

/// One row per lane: subtracted from one sum and added to another. If many lanes have the same cluster, their sum is
/// added once.
template <int D>
__device__ void add_changes(const SmallKTask& task, const SmallKWorkspace& workspace, Reassignment reassignment) {
    constexpr int few_lanes = 2;  // for up to 2 lanes atomics are faster than sums over the warp
    const int lane = static_cast<int>(threadIdx.x % 32);
    Bits* changes = workspace.changes_of_warp<D>(task.clusters);
    Sum values[D + 1];
    integers_of<D>(task, workspace, reassignment.row, values);
    Index to = reassignment.to == no_label ? -1 : reassignment.to,
          from = reassignment.from == no_label ? -1 : reassignment.from;
    for (std::uint32_t left = ~0U; (left = __ballot_sync(~0U, to >= 0 || from >= 0)) != 0;) {
        const Index mine = to >= 0 ? to : from, first = __shfl_sync(~0U, mine, __ffs(static_cast<int>(left)) - 1);
        const bool together = __popc(__ballot_sync(~0U, to == first || from == first)) > few_lanes;
        const Index cluster = together ? first : mine;
        const bool comes = cluster >= 0 && to == cluster, goes = cluster >= 0 && from == cluster;
        Sum of_lane = 0;
#pragma unroll
        for (int c = 0; c <= D; ++c) {
            Sum sum = comes ? values[c] : goes ? -values[c] : 0;
            if (together) {
                sum = warp_sum(sum);
                of_lane = lane == c ? sum : of_lane;
            } else if (comes || goes) {
                add_to(changes + cluster * (D + 1) + c, sum);
            }
        }
        if (together && lane <= D) add_to(changes + cluster * (D + 1) + lane, of_lane);
        if (comes) to = -1;
        if (goes) from = -1;
    }
    const std::uint32_t all = __ballot_sync(~0U, reassignment.row >= 0);
    if (lane == 0) add_to(changes + task.clusters * (D + 1), __popc(all));
}

/// Queue of a warp's changes. All functions are called by whole warps.
struct ReassignmentQueue {
    static constexpr int room = 32 * (group_rows + 1);
    Reassignment* list;  ///< in shared memory
    int count = 0;

    /// Appends the changes of the lanes that have one.
    __device__ void put(bool has, Reassignment reassignment) {
        const std::uint32_t all = __ballot_sync(~0U, has);
        if (has) list[count + before(all)] = reassignment;
        count += __popc(all);
    }
    template <int D>
    __device__ void add_full(const SmallKTask& task, const SmallKWorkspace& workspace) {
        __syncwarp();
        for (; count >= 32; count -= 32) {
            add_changes<D>(task, workspace, list[count - 32 + static_cast<int>(threadIdx.x % 32)]);
        }
        __syncwarp();
    }
    /// Adds the remaining changes of all warps; by the whole block. all: room for 32 per warp, which is written after
    /// the first barrier of the block.
    template <int D>
    __device__ void add_rest(const SmallKTask& task, const SmallKWorkspace& workspace, Reassignment* all) {
        const int lane = static_cast<int>(threadIdx.x % 32);
        const ListSlots slots = slots_of(count);
        if (lane < count) all[slots.first + lane] = list[lane];
        __syncthreads();
        const Reassignment none{-1, no_label, no_label};
        for (int at = static_cast<int>(threadIdx.x) - lane; at < slots.all; at += threads) {
            add_changes<D>(task, workspace, at + lane < slots.all ? all[at + lane] : none);
        }
    }
};

}  // namespace dunlin::kmeans::small_k
