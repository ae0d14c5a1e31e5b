// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/small_k_workspace.cuh"

/// Rows that change their clusters: they wait until there is one for each lane of a warp.
namespace dunlin::kmeans::small_k {

/// A row, -1 for none, that goes from one cluster to another.
struct Reassignment {
    Index row;
    Label from, to;
};

/// The sum over a warp, for all its lanes, of integers of less than 2^53 in magnitude.
inline __device__ Sum warp_sum(Sum value) {
#if __CUDA_ARCH__ >= 800
    constexpr int bits = 27;  // 32 times as many still fit
    const auto low = static_cast<unsigned>(value) & ((1U << bits) - 1);
    const auto high = static_cast<int>(value >> bits);
    return (Sum{__reduce_add_sync(~0U, high)} << bits) + __reduce_add_sync(~0U, low);
#else
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    return value;
#endif
}

/// A row's coordinates, times its weight, and its weight, as they are added.
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

/// A row for each lane: taken from one sum and added to another. What many lanes have for one cluster goes there as one
/// sum.
template <int D>
__device__ void add_changes(const SmallKTask& task, const SmallKWorkspace& workspace, Reassignment reassignment) {
    constexpr int few_lanes = 2;  // atomics of so many take less than sums over the warp
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

/// A warp's changes, until there are enough. Its members are called by whole warps.
struct ReassignmentQueue {
    static constexpr int room = 32 * (group_rows + 1);
    Reassignment* list;  ///< in shared memory
    int count = 0;

    /// Of the lanes that have one.
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
    /// Those of all warps together, by the block. all: room for 32 a warp; it may hold what is read until the block
    /// meets.
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
