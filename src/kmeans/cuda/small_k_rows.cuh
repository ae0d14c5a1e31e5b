// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/small_k_reassignments.cuh"

/// Assignment in the small-K kernel: rows to their nearest centroids, and the changes of the sums.
namespace dunlin::kmeans::small_k {

template <int D>
struct RowValues {
    float at[D];
};

/// Nearest centroids of a thread's rows, and the squared distances to the best two.
struct NearestOfRows {
    float best[group_rows], second[group_rows];
    Index label[group_rows];
};

template <int D>
__device__ float squared(const RowValues<D>& x, const float* centroid) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < D; ++c) sum += (x.at[c] - centroid[c]) * (x.at[c] - centroid[c]);
    return sum;
}

template <int D>
__device__ NearestOfRows nearest_of_rows(const RowValues<D> (&x)[group_rows], const float* centroids, Index clusters) {
    NearestOfRows nearest;
#pragma unroll
    for (int r = 0; r < group_rows; ++r) nearest.best[r] = nearest.second[r] = INFINITY, nearest.label[r] = 0;
    for (Index k = 0; k < clusters; ++k) {
        float centroid[D];
#pragma unroll
        for (int c = 0; c < D; ++c) centroid[c] = centroids[k * D + c];
#pragma unroll
        for (int r = 0; r < group_rows; ++r) {
            const float sum = squared<D>(x[r], centroid);
            nearest.second[r] = fminf(nearest.second[r], fmaxf(nearest.best[r], sum));
            nearest.label[r] = sum < nearest.best[r] ? k : nearest.label[r];
            nearest.best[r] = fminf(nearest.best[r], sum);
        }
    }
#pragma unroll
    for (int r = 0; r < group_rows; ++r) {
        if (is_close(nearest.best[r], nearest.second[r], float_error(D))) {
            nearest.label[r] = nearest_of(x[r].at, D, centroids, clusters);
        }
    }
    return nearest;
}

template <int D>
__device__ void load(const SmallKTask& task, Offset group, RowValues<D> (&x)[group_rows], Index (&label)[group_rows]) {
    const auto* rows = reinterpret_cast<const float4*>(task.rows) + group * D;
    float4 words[D];
#pragma unroll
    for (int i = 0; i < D; ++i) words[i] = rows[i];
    const uchar4 labels = reinterpret_cast<const uchar4*>(task.labels)[group];
    const auto* values = reinterpret_cast<const float*>(words);
#pragma unroll
    for (int r = 0; r < group_rows; ++r) {
#pragma unroll
        for (int c = 0; c < D; ++c) x[r].at[c] = values[r * D + c];
    }
    label[0] = labels.x, label[1] = labels.y, label[2] = labels.z, label[3] = labels.w;
}

/// Assigns a group of rows (-1: none) per lane: updates labels and the expiry of the group's bound, and queues changes.
/// With Inertia, `terms` gets each row's contribution to the inertia.
template <int D, bool Inertia>
__device__ void assign_group(const SmallKTask& task, const SmallKWorkspace& workspace, Index group, double drift,
                             ReassignmentQueue& queue, double* terms) {
    const bool here = group >= 0;
    RowValues<D> x[group_rows];
    Index old[group_rows];
    load<D>(task, here ? group : 0, x, old);
    const NearestOfRows nearest = nearest_of_rows<D>(x, workspace.centroids, task.clusters);
    float least = INFINITY;
#pragma unroll
    for (int r = 0; r < group_rows; ++r) {
        const Offset row = Offset{group} * group_rows + r;
        const bool counts = here && row < task.n, changes = counts && nearest.label[r] != old[r];
        if (counts) lower_hamerly_bound(least, nearest.best[r], nearest.second[r], float_error(D));
        if constexpr (Inertia) {
            const double weight = counts && task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
            const float* centroid = workspace.centroids + nearest.label[r] * D;
            terms[r] = counts ? inertia_of_row(weight, squared_distance_of(x[r].at, centroid, D)) : 0;
        }
        if (!__any_sync(~0U, changes)) continue;
        const Reassignment reassignment{static_cast<Index>(row), static_cast<Label>(old[r]),
                                        static_cast<Label>(nearest.label[r])};
        queue.put(changes, reassignment);
        if (changes) task.labels[row] = reassignment.to;
    }
    if (here) task.expires[group] = expiry_of(least, drift);
    queue.add_full<D>(task, workspace);
}

constexpr int ahead = 20;  ///< expiries that a thread reads at once, to hide the latency of loads and barriers

/// The groups that a block processes at a time: from `first` on, in runs of one group per thread, `stride` apart.
struct GroupRange {
    Index first, stride, groups;
    bool backwards;

    __device__ bool reaches(int a) const { return first + a * stride < groups; }
    /// Position of the a-th group of a thread; may exceed the last.
    __device__ Index number(int a, int thread) const { return first + a * stride + thread; }
    __device__ Index group(int a, int thread) const {
        return backwards ? groups - 1 - number(a, thread) : number(a, thread);
    }
};

/// Lists the positions in the range whose groups have expired; returns their number. By the whole block.
inline __device__ int list_expired(const SmallKTask& task, const GroupRange& range, float now, std::uint16_t* expired) {
    static_assert(ahead * threads <= 1 << 16);
    const int thread = static_cast<int>(threadIdx.x);
    float expires[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
        expires[a] = range.number(a, thread) >= range.groups ? INFINITY : task.expires[range.group(a, thread)];
    }
    int count = 0;
#pragma unroll
    for (int a = 0; a < ahead && range.reaches(a); ++a) {
        count += __popc(__ballot_sync(~0U, expires[a] <= now));
    }
    const ListSlots slots = slots_of(count);
    int next = slots.first;
#pragma unroll
    for (int a = 0; a < ahead && range.reaches(a); ++a) {
        const std::uint32_t lanes = __ballot_sync(~0U, expires[a] <= now);
        if (expires[a] <= now) expired[next + before(lanes)] = static_cast<std::uint16_t>(a * threads + thread);
        next += __popc(lanes);
    }
    __syncthreads();
    return slots.all;
}

/// Assigns every row to its nearest centroid; the changes of the sums are left in the workspace. Only groups that have
/// expired at this drift are read, in every second iteration backwards, because the rows read last are still cached.
template <int D>
__device__ void scan(const SmallKTask& task, const SmallKWorkspace& workspace, double drift, bool backwards) {
    __shared__ union {
        std::uint16_t expired[threads * ahead];
        Reassignment rest[warps * 32];
    } shared;
    __shared__ Reassignment queues[warps][ReassignmentQueue::room];
    ReassignmentQueue queue{queues[threadIdx.x / 32]};
    const int lane = static_cast<int>(threadIdx.x % 32);
    GroupRange range{static_cast<Index>(blockIdx.x * threads), static_cast<Index>(gridDim.x * threads),
                     (task.n - 1) / group_rows + 1, backwards};
    for (; range.first < range.groups; range.first += ahead * range.stride) {
        const int count = list_expired(task, range, __double2float_ru(drift), shared.expired);
        for (int at = static_cast<int>(threadIdx.x) - lane; at < count; at += threads) {
            const int position = at + lane < count ? shared.expired[at + lane] : 0;
            const Index group = at + lane < count ? range.group(position / threads, position % threads) : -1;
            assign_group<D, false>(task, workspace, group, drift, queue, nullptr);
        }
    }
    queue.add_rest<D>(task, workspace, shared.rest);
}

/// Assigns all rows. Also sums the inertia of each block of math::sum_block rows.
template <int D>
__device__ void scan_all(const SmallKTask& task, const SmallKWorkspace& workspace, double drift, bool backwards) {
    static_assert(threads * group_rows == math::sum_block && threads == device::sum_threads);
    __shared__ union {
        double terms[math::sum_block];
        Reassignment rest[warps * 32];
    } shared;
    __shared__ Reassignment queues[warps][ReassignmentQueue::room];
    ReassignmentQueue queue{queues[threadIdx.x / 32]};
    const auto thread = static_cast<Index>(threadIdx.x);
    const Index groups = (task.n - 1) / group_rows + 1, blocks = (groups - 1) / threads + 1;
    for (auto number = static_cast<Index>(blockIdx.x); number < blocks; number += static_cast<Index>(gridDim.x)) {
        const Index block = backwards ? blocks - 1 - number : number, group = block * threads + thread;
        assign_group<D, true>(task, workspace, group < groups ? group : -1, drift, queue,
                              shared.terms + thread * group_rows);
        __syncthreads();
        const double sum = device::sum_of_block<double>([&](int i) { return shared.terms[i]; });
        if (thread == 0) task.parts[block] = sum;
    }
    queue.add_rest<D>(task, workspace, shared.rest);
}

}  // namespace dunlin::kmeans::small_k
