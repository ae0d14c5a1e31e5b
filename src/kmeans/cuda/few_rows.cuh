// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/few_changes.cuh"

/// The rows' part of an iteration for few clusters: each to its nearest centroid, and what changes of the sums by it.
namespace dunlin::kmeans::few {

template <int D>
struct Row {
    float at[D];
};

/// Nearest centroids of a thread's rows, and squared distances to them and to the second.
struct Nearest {
    float best[abreast], second[abreast];
    Index label[abreast];
};

template <int D>
__device__ float squared(const Row<D>& x, const float* centroid) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < D; ++c) sum += (x.at[c] - centroid[c]) * (x.at[c] - centroid[c]);
    return sum;
}

template <int D>
__device__ Nearest nearest_of_rows(const Row<D> (&x)[abreast], const float* centroids, Index clusters) {
    Nearest nearest;
#pragma unroll
    for (int r = 0; r < abreast; ++r) nearest.best[r] = nearest.second[r] = INFINITY, nearest.label[r] = 0;
    for (Index k = 0; k < clusters; ++k) {
        float centroid[D];
#pragma unroll
        for (int c = 0; c < D; ++c) centroid[c] = centroids[k * D + c];
#pragma unroll
        for (int r = 0; r < abreast; ++r) {
            const float sum = squared<D>(x[r], centroid);
            nearest.second[r] = fminf(nearest.second[r], fmaxf(nearest.best[r], sum));
            nearest.label[r] = sum < nearest.best[r] ? k : nearest.label[r];
            nearest.best[r] = fminf(nearest.best[r], sum);
        }
    }
#pragma unroll
    for (int r = 0; r < abreast; ++r) {
        if (is_close(nearest.best[r], nearest.second[r], float_error(D))) {
            nearest.label[r] = nearest_of(x[r].at, D, centroids, clusters);
        }
    }
    return nearest;
}

template <int D>
__device__ void load(const Task& task, Offset group, Row<D> (&x)[abreast], Index (&label)[abreast]) {
    const auto* rows = reinterpret_cast<const float4*>(task.rows) + group * D;
    float4 words[D];
#pragma unroll
    for (int i = 0; i < D; ++i) words[i] = rows[i];
    const uchar4 labels = reinterpret_cast<const uchar4*>(task.labels)[group];
    const auto* values = reinterpret_cast<const float*>(words);
#pragma unroll
    for (int r = 0; r < abreast; ++r) {
#pragma unroll
        for (int c = 0; c < D; ++c) x[r].at[c] = values[r * D + c];
    }
    label[0] = labels.x, label[1] = labels.y, label[2] = labels.z, label[3] = labels.w;
}

/// Looks at a group of rows (-1: none) a lane: labels follow, and when to look again. With Inertia, `terms` gets what
/// each row adds to it.
template <int D, bool Inertia>
__device__ void visit(const Task& task, const Desk& desk, Index group, double drift, Waiting& waiting, double* terms) {
    const bool here = group >= 0;
    Row<D> x[abreast];
    Index old[abreast];
    load<D>(task, here ? group : 0, x, old);
    const Nearest nearest = nearest_of_rows<D>(x, desk.centroids, task.clusters);
    float least = INFINITY;
#pragma unroll
    for (int r = 0; r < abreast; ++r) {
        const Offset row = Offset{group} * abreast + r;
        const bool counts = here && row < task.n, changes = counts && nearest.label[r] != old[r];
        if (counts) lower_patience(least, nearest.best[r], nearest.second[r], float_error(D));
        if constexpr (Inertia) {
            const double weight = counts && task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
            const float* centroid = desk.centroids + nearest.label[r] * D;
            terms[r] = counts ? inertia_of_row(weight, squared_distance_of(x[r].at, centroid, D)) : 0;
        }
        if (!__any_sync(~0U, changes)) continue;
        const Change change{static_cast<Index>(row), static_cast<Label>(old[r]), static_cast<Label>(nearest.label[r])};
        waiting.put(changes, change);
        if (changes) task.labels[row] = change.to;
    }
    if (here) task.expires[group] = expiry_of(least, drift);
    waiting.add_full<D>(task, desk);
}

constexpr int ahead = 20;  ///< groups of a thread whose expiry is read at once: reading and meeting take their time

/// The groups that a block looks at in one turn: from `first` on, `stride` apart, the block's threads side by side.
struct Turn {
    Index first, stride, groups;
    bool backwards;

    __device__ bool reaches(int a) const { return first + a * stride < groups; }
    /// The group that is number `a` of a thread, or more than the last.
    __device__ Index number(int a, int thread) const { return first + a * stride + thread; }
    __device__ Index group(int a, int thread) const {
        return backwards ? groups - 1 - number(a, thread) : number(a, thread);
    }
};

/// Lists the places of the turn whose groups have expired. Returns how many these are. By the block.
inline __device__ int list_due(const Task& task, const Turn& turn, float now, std::uint16_t* due) {
    static_assert(ahead * threads <= 1 << 16);
    const int thread = static_cast<int>(threadIdx.x);
    float expires[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
        expires[a] = turn.number(a, thread) >= turn.groups ? INFINITY : task.expires[turn.group(a, thread)];
    }
    int count = 0;
#pragma unroll
    for (int a = 0; a < ahead && turn.reaches(a); ++a) {
        count += __popc(__ballot_sync(~0U, expires[a] <= now));
    }
    const Places places = places_of(count);
    int next = places.first;
#pragma unroll
    for (int a = 0; a < ahead && turn.reaches(a); ++a) {
        const std::uint32_t lanes = __ballot_sync(~0U, expires[a] <= now);
        if (expires[a] <= now) due[next + before(lanes)] = static_cast<std::uint16_t>(a * threads + thread);
        next += __popc(lanes);
    }
    __syncthreads();
    return places.all;
}

/// Every row to its nearest centroid; the changes of sums are left in the desk. Only groups that expire at this drift
/// are read; every second time backwards: what was read last is still in the cache.
template <int D>
__device__ void scan(const Task& task, const Desk& desk, double drift, bool backwards) {
    __shared__ union {
        std::uint16_t due[threads * ahead];
        Change rest[warps * 32];
    } shared;
    __shared__ Change queues[warps][Waiting::room];
    Waiting waiting{queues[threadIdx.x / 32]};
    const int lane = static_cast<int>(threadIdx.x % 32);
    Turn turn{static_cast<Index>(blockIdx.x * threads), static_cast<Index>(gridDim.x * threads),
              (task.n - 1) / abreast + 1, backwards};
    for (; turn.first < turn.groups; turn.first += ahead * turn.stride) {
        const int count = list_due(task, turn, __double2float_ru(drift), shared.due);
        for (int at = static_cast<int>(threadIdx.x) - lane; at < count; at += threads) {
            const int place = at + lane < count ? shared.due[at + lane] : 0;
            const Index group = at + lane < count ? turn.group(place / threads, place % threads) : -1;
            visit<D, false>(task, desk, group, drift, waiting, nullptr);
        }
    }
    waiting.add_rest<D>(task, desk, shared.rest);
}

/// The same of all rows, and of each block of math::sum_block rows its part of the inertia.
template <int D>
__device__ void scan_all(const Task& task, const Desk& desk, double drift, bool backwards) {
    static_assert(threads * abreast == math::sum_block && threads == device::sum_threads);
    __shared__ union {
        double terms[math::sum_block];
        Change rest[warps * 32];
    } shared;
    __shared__ Change queues[warps][Waiting::room];
    Waiting waiting{queues[threadIdx.x / 32]};
    const auto thread = static_cast<Index>(threadIdx.x);
    const Index groups = (task.n - 1) / abreast + 1, blocks = (groups - 1) / threads + 1;
    for (auto number = static_cast<Index>(blockIdx.x); number < blocks; number += static_cast<Index>(gridDim.x)) {
        const Index block = backwards ? blocks - 1 - number : number, group = block * threads + thread;
        visit<D, true>(task, desk, group < groups ? group : -1, drift, waiting, shared.terms + thread * abreast);
        __syncthreads();
        const double sum = device::sum_of_block<double>([&](int i) { return shared.terms[i]; });
        if (thread == 0) task.parts[block] = sum;
    }
    waiting.add_rest<D>(task, desk, shared.rest);
}

}  // namespace dunlin::kmeans::few
