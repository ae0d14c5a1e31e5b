#include "kmeans/on_device/changes.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr unsigned share = 64;  ///< entries of a warp at a time

struct Task {
    const float *rows, *weights;
    const double* scales;
    const Index* nearest;
    Index* labels;
    Bits *sums, *changed;
    unsigned *counts, *ends, *entries;
    const Progress* progress;
    Index n, cols, clusters;
};

__global__ void __launch_bounds__(threads) count_kernel(Task task) {
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

/// ends[k] = entries of the clusters before k; by one block.
__global__ void __launch_bounds__(threads) begin_kernel(Task task) {
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

/// Every change to its cluster's entries, in any order: sums are exact.
__global__ void __launch_bounds__(threads) list_kernel(Task task) {
    const Offset row = Offset{blockIdx.x} * threads + threadIdx.x;
    if (task.progress->reason != Reason::going_on || row >= task.n) return;
    const Index old = task.labels[row], now = task.nearest[row];
    if (old == now) return;
    const auto entry = static_cast<unsigned>(row) * 2;
    task.entries[atomicAdd(task.ends + now, 1U)] = entry;
    if (old >= 0) task.entries[atomicAdd(task.ends + old, 1U)] = entry + 1;
    task.labels[row] = now;
}

/// The cluster whose entries hold this place; ends are where they end now.
__device__ Index cluster_at(const Task& task, unsigned place) {
    Index low = 0, high = task.clusters - 1;
    while (low < high) {
        const Index middle = (low + high) / 2;
        if (task.ends[middle] > place)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// A column of the entries [from, to) to the sums, one cluster after another; by a lane.
__device__ void add_column(const Task& task, unsigned from, unsigned to, Index cluster, Index column) {
    const double scale = task.scales[column];
    Sum sum = 0;
    unsigned end = task.ends[cluster];
    for (unsigned place = from; place < to; ++place) {
        if (place >= end) {
            if (sum != 0) add_to(task.sums + Offset{cluster} * (task.cols + 1) + column, sum);
            sum = 0;
            while (place >= end) end = task.ends[++cluster];
        }
        const unsigned entry = task.entries[place];
        const Offset row = entry / 2;
        const double weight = task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
        const double value =
            column < task.cols ? weight * static_cast<double>(task.rows[row * task.cols + column]) : weight;
        const Sum added = to_integer(value, scale);
        sum += entry % 2 == 0 ? added : -added;
    }
    if (sum != 0) add_to(task.sums + Offset{cluster} * (task.cols + 1) + column, sum);
}

__global__ void __launch_bounds__(threads) add_kernel(Task task) {
    if (task.progress->reason != Reason::going_on) return;
    const unsigned total = task.ends[task.clusters - 1];
    const unsigned stride = gridDim.x * warps * share;
    for (unsigned from = (blockIdx.x * warps + threadIdx.x / 32) * share; from < total; from += stride) {
        const Index cluster = cluster_at(task, from);
        const unsigned to = min(total, from + share);
        for (Index column = static_cast<Index>(threadIdx.x % 32); column <= task.cols; column += 32) {
            add_column(task, from, to, cluster, column);
        }
    }
}

}  // namespace

void Changes::prepare(device::Cuda& cuda, const DeviceState& state) {
    const auto clusters = static_cast<std::size_t>(state.clusters);
    cuda.resize(changed_, 1);
    cuda.resize(counts_, clusters);
    cuda.resize(ends_, clusters);
    cuda.resize(entries_, 2 * static_cast<std::size_t>(state.n));
}

void Changes::apply(device::Cuda& cuda, DeviceState& state, const Index* nearest, Index* labels) {
    device::cuda_check(cudaMemsetAsync(changed_.data(), 0, sizeof(Bits), cuda.stream()));
    device::cuda_check(cudaMemsetAsync(counts_.data(), 0, counts_.size() * sizeof(unsigned), cuda.stream()));
    const Task task{state.rows.data(),
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
