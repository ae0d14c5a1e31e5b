// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/score.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int group = 16;     ///< rows processed together by a block
constexpr int columns = 128;  ///< columns in shared memory at a time

struct DecideTask {
    const float *rows, *centroids, *columns;
    const Index* undecided;  ///< rows
    const unsigned* count;
    const Index* candidates;
    const unsigned* listed;
    Index* overflowed;
    unsigned* overflowed_count;
    Index* labels;
    const LoopState* progress;
    Index cols, clusters, padded;
};

struct TwoNearest {
    float first = INFINITY, second = INFINITY;
    Index label = 0;

    __device__ void add(float distance, Index k) {
        second = fminf(second, fmaxf(first, distance));
        label = distance < first ? k : label;
        first = fminf(first, distance);
    }
    __device__ void merge(const TwoNearest& other) {
        second = fminf(fminf(second, other.second), fmaxf(first, other.first));
        label = other.first < first ? other.label : label;
        first = fminf(first, other.first);
    }
    __device__ TwoNearest from(int lanes) const {
        return {__shfl_xor_sync(~0U, first, lanes), __shfl_xor_sync(~0U, second, lanes),
                __shfl_xor_sync(~0U, label, lanes)};
    }
};

/// Shared memory of a block: a group of rows, some of their columns, and the results of each warp.
struct RowGroup {
    Index rows[group];
    float values[columns][group];
    TwoNearest best[warps][group];
};

__device__ void load(const DecideTask& task, RowGroup& shared, Index from) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < group * columns; i += threads) {
        const int r = i / columns, c = i % columns;
        const bool inside = from + c < task.cols && shared.rows[r] >= 0;
        shared.values[c][r] = inside ? task.rows[Offset{shared.rows[r]} * task.cols + from + c] : 0;
    }
    __syncthreads();
}

/// Squared distances of the group's rows to the centroid of each thread.
__device__ void distances(const DecideTask& task, RowGroup& shared, Index k, float (&sums)[group]) {
#pragma unroll
    for (int r = 0; r < group; ++r) sums[r] = 0;
    for (Index from = 0; from < task.cols; from += columns) {
        if (task.cols > columns || k < threads) load(task, shared, from);
        const Index here = min(static_cast<Index>(columns), task.cols - from);
        for (Index c = 0; c < here; ++c) {
            const float centroid = task.columns[Offset{from + c} * task.padded + k];
#pragma unroll
            for (int r = 0; r < group; ++r) {
                const float difference = shared.values[c][r] - centroid;
                sums[r] += difference * difference;
            }
        }
    }
}

/// The label of the least distance over the lanes of a warp, ties to the lower number; for all lanes.
__device__ Index least(double best, Index label) {
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const double other = __shfl_xor_sync(~0U, best, lanes);
        const Index of = __shfl_xor_sync(~0U, label, lanes);
        if (other < best || (other == best && of < label)) best = other, label = of;
    }
    return label;
}

/// The nearest centroid in double, ties to the lower number; one warp.
__device__ Index nearest_by_warp(const DecideTask& task, Index row) {
    const float* x = task.rows + Offset{row} * task.cols;
    double best = INFINITY;
    Index label = task.clusters;
    for (Index k = static_cast<Index>(threadIdx.x % 32); k < task.clusters; k += 32) {
        const double distance = squared_distance_of(x, task.centroids + Offset{k} * task.cols, task.cols);
        if (distance < best) best = distance, label = k;
    }
    return least(best, label);
}

__device__ void decide_group(const DecideTask& task, RowGroup& shared) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int r = static_cast<int>(threadIdx.x / 32); r < group; r += warps) {
        if (shared.rows[r] < 0) continue;
        TwoNearest best = shared.best[lane % warps][r];
        for (int lanes = warps / 2; lanes > 0; lanes /= 2) best.merge(best.from(lanes));
        best.label = __shfl_sync(~0U, best.label, 0);
        const bool close = is_close(best.first, best.second, float_error(task.cols));
        const Index label = __any_sync(~0U, close) ? nearest_by_warp(task, shared.rows[r]) : best.label;
        if (lane == 0) task.labels[shared.rows[r]] = label;
    }
}

/// Squared distance in double, columns distributed over a warp; for all lanes.
__device__ double distance_by_warp(const float* x, const float* centroid, Index cols) {
    double sum = 0;
    for (Index c = static_cast<Index>(threadIdx.x % 32); c < cols; c += 32) sum = add_square(sum, x[c], centroid[c]);
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0U, sum, lanes);
    return sum;
}

/// The nearest candidate by definition (sums in the order of columns); one lane per candidate.
__device__ Index nearest_of_listed(const DecideTask& task, const float* x, const Index* candidates, unsigned listed) {
    const unsigned lane = threadIdx.x % 32;
    if (lane >= listed) return least(INFINITY, task.clusters);
    const Index label = candidates[lane];
    return least(squared_distance_of(x, task.centroids + Offset{label} * task.cols, task.cols), label);
}

/// Rows with few candidates: a warp computes their distances one by one; if rounding may decide between the best two,
/// by definition. Rows with too many candidates are listed for overflowed_kernel.
__global__ void __launch_bounds__(threads) listed_kernel(DecideTask task) {
    if (task.progress->reason != Reason::going_on) return;
    for (unsigned i = blockIdx.x * warps + threadIdx.x / 32; i < *task.count; i += gridDim.x * warps) {
        const Index row = task.undecided[i];
        const unsigned listed = task.listed[i];
        if (listed > Undecided::most_listed) {
            if (threadIdx.x % 32 == 0) task.overflowed[atomicAdd(task.overflowed_count, 1U)] = row;
            continue;
        }
        const float* x = task.rows + Offset{row} * task.cols;
        const Index* candidates = task.candidates + Offset{i} * Undecided::most_listed;
        double best = INFINITY, second = INFINITY;
        Index label = 0;
        for (unsigned j = 0; j < listed; ++j) {
            const double distance = distance_by_warp(x, task.centroids + Offset{candidates[j]} * task.cols, task.cols);
            second = fmin(second, fmax(best, distance));
            label = distance < best ? candidates[j] : label;
            best = fmin(best, distance);
        }
        if (is_close(best, second, task.cols)) label = nearest_of_listed(task, x, candidates, listed);
        if (threadIdx.x % 32 == 0) task.labels[row] = label;
    }
}

/// Rows with too many candidates: compares them with all centroids.
__global__ void __launch_bounds__(threads) overflowed_kernel(DecideTask task) {
    __shared__ RowGroup shared;
    const Index count = static_cast<Index>(*task.overflowed_count);
    if (task.progress->reason != Reason::going_on) return;
    for (Index first = static_cast<Index>(blockIdx.x) * group; first < count;
         first += static_cast<Index>(gridDim.x) * group) {
        __syncthreads();
        if (threadIdx.x < group) {
            const Index at = first + static_cast<Index>(threadIdx.x);
            shared.rows[threadIdx.x] = at < count ? task.overflowed[at] : -1;
        }
        TwoNearest best[group];
        for (Index k = static_cast<Index>(threadIdx.x); k < (task.clusters + threads - 1) / threads * threads;
             k += threads) {
            float sums[group];
            distances(task, shared, min(k, task.clusters - 1), sums);
#pragma unroll
            for (int r = 0; r < group; ++r) {
                if (k < task.clusters) best[r].add(sums[r], k);
            }
        }
#pragma unroll
        for (int r = 0; r < group; ++r) {
            for (int lanes = 16; lanes > 0; lanes /= 2) best[r].merge(best[r].from(lanes));
            if (threadIdx.x % 32 == 0) shared.best[threadIdx.x / 32][r] = best[r];
        }
        __syncthreads();
        decide_group(task, shared);
    }
}

}  // namespace

void decide(device::Cuda& cuda, const DeviceState& state, const HalfCentroids& centroids, Undecided& undecided,
            Index* labels) {
    device::cuda_check(cudaMemsetAsync(undecided.overflowed_count.data(), 0, sizeof(unsigned), cuda.stream()));
    const DecideTask task{state.rows.data(),
                          state.centroids.data(),
                          centroids.columns.data(),
                          undecided.rows.data(),
                          undecided.count.data(),
                          undecided.centroids.data(),
                          undecided.listed.data(),
                          undecided.overflowed.data(),
                          undecided.overflowed_count.data(),
                          labels,
                          state.progress.value.data(),
                          state.cols,
                          state.clusters,
                          centroids.padded};
    const auto blocks = static_cast<unsigned>(cuda.multiprocessors());
    listed_kernel<<<8 * blocks, threads, 0, cuda.stream()>>>(task);
    overflowed_kernel<<<2 * blocks, threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
