// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/reassignments.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr unsigned least_share = 8, most_share = 64;  ///< entries that a warp takes at a time
constexpr unsigned together = 4;                      ///< entries loaded at once
constexpr int abreast = 4;                            ///< columns of a lane at a time

struct ReassignmentTask {
    const float *rows, *weights;
    const double* scales;
    const Index* nearest;
    Index* labels;
    Bits *sums, *changed;
    unsigned *counts, *ends, *entries;
    const LoopState* progress;
    Index n, cols, clusters;
};

__global__ void __launch_bounds__(threads) count_kernel(ReassignmentTask task) {
    if (task.progress->reason != Reason::going_on) return;
    const Offset row = Offset{blockIdx.x} * threads + threadIdx.x;
    const bool here = row < task.n;
    const Index old = here ? task.labels[row] : 0, now = here ? task.nearest[row] : 0;
    const int changed = __syncthreads_count(old != now);
    if (threadIdx.x == 0 && changed > 0) add_to(task.changed, changed);
    if (old == now) return;
    atomicAdd(task.counts + now, 1U);
    if (old >= 0) atomicAdd(task.counts + old, 1U);
}

/// ends[k] = number of entries of the clusters before k; one block.
__global__ void __launch_bounds__(threads) begin_kernel(ReassignmentTask task) {
    __shared__ unsigned sums[threads];
    const Index each = (task.clusters + threads - 1) / threads;
    const Index from = min(task.clusters, static_cast<Index>(threadIdx.x) * each);
    const Index to = min(task.clusters, from + each);
    unsigned sum = 0;
    for (Index k = from; k < to; ++k) sum += task.counts[k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    unsigned before = 0;
    for (unsigned t = 0; t < threadIdx.x; ++t) before += sums[t];
    for (Index k = from; k < to; ++k) {
        task.ends[k] = before;
        before += task.counts[k];
    }
}

/// Writes each change to the entries of its clusters, in any order, since sums are exact. Afterwards ends[k] is the end
/// of the entries of cluster k.
__global__ void __launch_bounds__(threads) list_kernel(ReassignmentTask task) {
    const Offset row = Offset{blockIdx.x} * threads + threadIdx.x;
    if (task.progress->reason != Reason::going_on || row >= task.n) return;
    const Index old = task.labels[row], now = task.nearest[row];
    if (old == now) return;
    const auto entry = static_cast<unsigned>(row) * 2;
    task.entries[atomicAdd(task.ends + now, 1U)] = entry;
    if (old >= 0) task.entries[atomicAdd(task.ends + old, 1U)] = entry + 1;
    task.labels[row] = now;
}

/// The cluster that has the entry at this position; binary search in ends.
__device__ Index cluster_at(const ReassignmentTask& task, unsigned position) {
    Index low = 0, high = task.clusters - 1;
    while (low < high) {
        const Index middle = (low + high) / 2;
        if (task.ends[middle] > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// Partial sums of a lane for one cluster: `abreast` columns, 32 apart, and the weights.
struct LaneSums {
    Sum columns[abreast] = {}, weight = 0;

    /// Adds an entry; if it does not count it is loaded all the same, which avoids a branch.
    __device__ void add(const ReassignmentTask& task, const double (&scales)[abreast], unsigned entry, bool counts,
                        Index column) {
        const Offset row = entry / 2;
        const Sum sign = !counts ? 0 : entry % 2 == 0 ? 1 : -1;
        const double own = task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
        const float* x = task.rows + row * task.cols + column;
#pragma unroll
        for (int i = 0; i < abreast; ++i) {
            const double value = column + 32 * i < task.cols ? static_cast<double>(x[32 * i]) : 0.0;
            columns[i] += sign * to_integer(own * value, scales[i]);
        }
        weight += sign * to_integer(own, task.scales[task.cols]);
    }
    /// Adds to the cluster's sums (the lane of column 0 adds the weights), and resets.
    __device__ void leave(const ReassignmentTask& task, Index cluster, Index column) {
        Bits* sums = task.sums + Offset{cluster} * (task.cols + 1);
#pragma unroll
        for (int i = 0; i < abreast; ++i) {
            if (columns[i] != 0) add_to(sums + column + 32 * i, columns[i]);
        }
        if (column == 0 && weight != 0) add_to(sums + task.cols, weight);
        *this = {};
    }
};

/// Adds a lane's columns of the entries [from, to), cluster by cluster.
__device__ void add_columns(const ReassignmentTask& task, unsigned from, unsigned to, Index cluster, Index column) {
    double scales[abreast];
    for (int i = 0; i < abreast; ++i) scales[i] = task.scales[min(column + 32 * i, task.cols)];
    LaneSums lane_sums;
    while (from < to) {
        const unsigned end = min(to, task.ends[cluster]);
        for (; from < end; from += together) {
#pragma unroll
            for (unsigned i = 0; i < together; ++i) {
                lane_sums.add(task, scales, task.entries[min(from + i, end - 1)], from + i < end, column);
            }
        }
        from = end;
        lane_sums.leave(task, cluster++, column);
    }
}

__global__ void __launch_bounds__(threads) add_kernel(ReassignmentTask task) {
    if (task.progress->reason != Reason::going_on) return;
    const unsigned total = task.ends[task.clusters - 1];
    const auto groups = static_cast<unsigned>((task.cols + 32 * abreast - 1) / (32 * abreast));  // of columns
    const unsigned share = max(least_share, min(most_share, total / (gridDim.x * warps)));
    const unsigned items = (total + share - 1) / share * groups;
    for (unsigned item = blockIdx.x * warps + threadIdx.x / 32; item < items; item += gridDim.x * warps) {
        const unsigned from = item / groups * share;
        const auto column = static_cast<Index>(item % groups * 32 * abreast + threadIdx.x % 32);
        if (column < task.cols) add_columns(task, from, min(total, from + share), cluster_at(task, from), column);
    }
}

}  // namespace

void Reassignments::prepare(device::Cuda& cuda, Index clusters, Index rows) {
    cuda.resize(changed_, 1);
    cuda.resize(counts_, static_cast<std::size_t>(clusters));
    cuda.resize(ends_, static_cast<std::size_t>(clusters));
    cuda.resize(entries_, 2 * static_cast<std::size_t>(rows));
}

void Reassignments::begin(device::Cuda& cuda) {
    device::cuda_check(cudaMemsetAsync(changed_.data(), 0, sizeof(Bits), cuda.stream()));
}

void Reassignments::apply(device::Cuda& cuda, DeviceState& state, const Index* nearest, Index* labels) {
    device::cuda_check(cudaMemsetAsync(counts_.data(), 0, counts_.size() * sizeof(unsigned), cuda.stream()));
    const ReassignmentTask task{state.rows.data(),
                                state.weights.data(),
                                state.scales.data(),
                                nearest,
                                labels,
                                state.sums.data(),
                                changed_.data(),
                                counts_.data(),
                                ends_.data(),
                                entries_.data(),
                                cuda.address(state.progress),
                                state.n,
                                state.cols,
                                state.clusters};
    const auto blocks = static_cast<unsigned>((Offset{state.n} + threads - 1) / threads);
    count_kernel<<<blocks, threads, 0, cuda.stream()>>>(task);
    begin_kernel<<<1, threads, 0, cuda.stream()>>>(task);
    list_kernel<<<blocks, threads, 0, cuda.stream()>>>(task);
    add_kernel<<<static_cast<unsigned>(8 * cuda.multiprocessors()), threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
