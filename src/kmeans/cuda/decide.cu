// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/score.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int group = 16;     ///< rows looked at together
constexpr int columns = 128;  ///< of them that are in shared memory at a time

struct Task {
    const float *rows, *centroids, *columns;
    const Index* undecided;  ///< rows
    const unsigned* count;
    const Index* candidates;
    const unsigned* listed;
    Index* hard;
    unsigned* hard_count;
    Index* labels;
    const Progress* progress;
    Index cols, clusters, padded;
};

struct Best {
    float first = INFINITY, second = INFINITY;
    Index label = 0;

    __device__ void meet(float distance, Index k) {
        second = fminf(second, fmaxf(first, distance));
        label = distance < first ? k : label;
        first = fminf(first, distance);
    }
    __device__ void join(const Best& other) {
        second = fminf(fminf(second, other.second), fmaxf(first, other.first));
        label = other.first < first ? other.label : label;
        first = fminf(first, other.first);
    }
    __device__ Best from(int lanes) const {
        return {__shfl_xor_sync(~0U, first, lanes), __shfl_xor_sync(~0U, second, lanes),
                __shfl_xor_sync(~0U, label, lanes)};
    }
};

/// A group's rows, so many columns of them, and what each warp found.
struct Desk {
    Index rows[group];
    float values[columns][group];
    Best best[warps][group];
};

__device__ void load(const Task& task, Desk& desk, Index from) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < group * columns; i += threads) {
        const int r = i / columns, c = i % columns;
        const bool inside = from + c < task.cols && desk.rows[r] >= 0;
        desk.values[c][r] = inside ? task.rows[Offset{desk.rows[r]} * task.cols + from + c] : 0;
    }
    __syncthreads();
}

/// Squared distances of the group's rows to one centroid for each thread.
__device__ void distances(const Task& task, Desk& desk, Index k, float (&sums)[group]) {
#pragma unroll
    for (int r = 0; r < group; ++r) sums[r] = 0;
    for (Index from = 0; from < task.cols; from += columns) {
        if (task.cols > columns || k < threads) load(task, desk, from);
        const Index here = min(static_cast<Index>(columns), task.cols - from);
        for (Index c = 0; c < here; ++c) {
            const float centroid = task.columns[Offset{from + c} * task.padded + k];
#pragma unroll
            for (int r = 0; r < group; ++r) {
                const float apart = desk.values[c][r] - centroid;
                sums[r] += apart * apart;
            }
        }
    }
}

/// The label of the least distance of a warp's lanes, ties to the lower number; every lane has it.
__device__ Index least(double best, Index label) {
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const double other = __shfl_xor_sync(~0U, best, lanes);
        const Index of = __shfl_xor_sync(~0U, label, lanes);
        if (other < best || (other == best && of < label)) best = other, label = of;
    }
    return label;
}

/// The nearest in double, by a warp, ties to the lower number.
__device__ Index nearest_by_warp(const Task& task, Index row) {
    const float* x = task.rows + Offset{row} * task.cols;
    double best = INFINITY;
    Index label = task.clusters;
    for (Index k = static_cast<Index>(threadIdx.x % 32); k < task.clusters; k += 32) {
        const double distance = squared_distance_of(x, task.centroids + Offset{k} * task.cols, task.cols);
        if (distance < best) best = distance, label = k;
    }
    return least(best, label);
}

__device__ void settle(const Task& task, Desk& desk) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int r = static_cast<int>(threadIdx.x / 32); r < group; r += warps) {
        if (desk.rows[r] < 0) continue;
        Best best = desk.best[lane % warps][r];
        for (int lanes = warps / 2; lanes > 0; lanes /= 2) best.join(best.from(lanes));
        best.label = __shfl_sync(~0U, best.label, 0);
        const bool close = is_close(best.first, best.second, float_error(task.cols));
        const Index label = __any_sync(~0U, close) ? nearest_by_warp(task, desk.rows[r]) : best.label;
        if (lane == 0) task.labels[desk.rows[r]] = label;
    }
}

/// Squared distance in double, columns across a warp; every lane has it.
__device__ double distance_by_warp(const float* x, const float* centroid, Index cols) {
    double sum = 0;
    for (Index c = static_cast<Index>(threadIdx.x % 32); c < cols; c += 32) sum = add_square(sum, x[c], centroid[c]);
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0U, sum, lanes);
    return sum;
}

/// Which candidate is nearest by the definition, whose sums run from column to column: a lane for each.
__device__ Index nearest_of_listed(const Task& task, const float* x, const Index* candidates, unsigned listed) {
    const unsigned lane = threadIdx.x % 32;
    if (lane >= listed) return least(INFINITY, task.clusters);
    const Index label = candidates[lane];
    return least(squared_distance_of(x, task.centroids + Offset{label} * task.cols, task.cols), label);
}

/// Few candidates: one after another by a warp; where rounding may decide which is nearest, by the definition. The rows
/// of many are passed on.
__global__ void __launch_bounds__(threads) few_candidates_kernel(Task task) {
    if (task.progress->reason != Reason::going_on) return;
    for (unsigned i = blockIdx.x * warps + threadIdx.x / 32; i < *task.count; i += gridDim.x * warps) {
        const Index row = task.undecided[i];
        const unsigned listed = task.listed[i];
        if (listed > Undecided::most_listed) {
            if (threadIdx.x % 32 == 0) task.hard[atomicAdd(task.hard_count, 1U)] = row;
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

/// The hard ones: all centroids.
__global__ void __launch_bounds__(threads) decide_kernel(Task task) {
    __shared__ Desk desk;
    const Index count = static_cast<Index>(*task.hard_count);
    if (task.progress->reason != Reason::going_on) return;
    for (Index first = static_cast<Index>(blockIdx.x) * group; first < count;
         first += static_cast<Index>(gridDim.x) * group) {
        __syncthreads();
        if (threadIdx.x < group) {
            const Index at = first + static_cast<Index>(threadIdx.x);
            desk.rows[threadIdx.x] = at < count ? task.hard[at] : -1;
        }
        Best best[group];
        for (Index k = static_cast<Index>(threadIdx.x); k < (task.clusters + threads - 1) / threads * threads;
             k += threads) {
            float sums[group];
            distances(task, desk, min(k, task.clusters - 1), sums);
#pragma unroll
            for (int r = 0; r < group; ++r) {
                if (k < task.clusters) best[r].meet(sums[r], k);
            }
        }
#pragma unroll
        for (int r = 0; r < group; ++r) {
            for (int lanes = 16; lanes > 0; lanes /= 2) best[r].join(best[r].from(lanes));
            if (threadIdx.x % 32 == 0) desk.best[threadIdx.x / 32][r] = best[r];
        }
        __syncthreads();
        settle(task, desk);
    }
}

}  // namespace

void decide(device::Cuda& cuda, const DeviceState& state, const HalfCentroids& centroids, Undecided& undecided,
            Index* labels) {
    device::cuda_check(cudaMemsetAsync(undecided.hard_count.data(), 0, sizeof(unsigned), cuda.stream()));
    const Task task{state.rows.data(),
                    state.centroids.data(),
                    centroids.columns.data(),
                    undecided.rows.data(),
                    undecided.count.data(),
                    undecided.centroids.data(),
                    undecided.listed.data(),
                    undecided.hard.data(),
                    undecided.hard_count.data(),
                    labels,
                    state.progress.value.data(),
                    state.cols,
                    state.clusters,
                    centroids.padded};
    const auto blocks = static_cast<unsigned>(cuda.multiprocessors());
    few_candidates_kernel<<<8 * blocks, threads, 0, cuda.stream()>>>(task);
    decide_kernel<<<2 * blocks, threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
