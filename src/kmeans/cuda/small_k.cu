// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

#include <algorithm>

#include "kmeans/cuda/small_k_rows.cuh"

namespace dunlin::kmeans {

namespace {

using namespace small_k;

/// Adds the changes of all blocks to every block's copy of the sums. Returns the number of rows that changed.
template <int D>
__device__ Offset sum_changes(const SmallKTask& task, const SmallKWorkspace& workspace, int pass) {
    const Index count = changes_of<D>(task.clusters);
    Bits* here = task.changes + pass % rounds * count;
    __syncthreads();
    for (Index i = static_cast<Index>(threadIdx.x); i < count; i += threads) {
        Bits sum = 0;
        for (int copy = 0; copy < copies_of<D>(task.clusters); ++copy) {
            sum += workspace.changes[copy * count + i];
            workspace.changes[copy * count + i] = 0;
        }
        if (sum != 0) atomicAdd(here + i, sum);
    }
    cooperative_groups::this_grid().sync();
    for (Index i = static_cast<Index>(threadIdx.x); i + 1 < count; i += threads) workspace.sums[i] += __ldcg(here + i);
    Bits* later = task.changes + (pass + 2) % rounds * count;
    for (Index i = static_cast<Index>(threadIdx.x); i < count && blockIdx.x == 0; i += threads) later[i] = 0;
    __syncthreads();
    return static_cast<Offset>(__ldcg(here + count - 1));
}

/// The inertia, for all threads of all blocks; block 0 adds the parts.
__device__ double inertia_of_parts(const SmallKTask& task) {
    double* total = task.parts + task.parts_room;
    const Offset blocks = (Offset{task.n} + math::sum_block - 1) / math::sum_block;
    if (blockIdx.x == 0) {
        const double sum = device::sum_tree(blocks, task.parts);
        if (threadIdx.x == 0) *total = sum;
    }
    cooperative_groups::this_grid().sync();
    return __ldcg(total);
}

/// Moves centroids to the means; every thread gets the movement.
template <int D>
__device__ Movement move(const SmallKTask& task, const SmallKWorkspace& workspace) {
    constexpr int parts = max_clusters / 32;
    __shared__ double squares[parts], farthest[parts];
    const auto k = static_cast<Index>(threadIdx.x);
    if (k < max_clusters) {
        float old[D];
        double square = 0;
        if (k < task.clusters) {
            square = move_centroid(workspace.sums + k * (D + 1), workspace.scales, D, task.metric,
                                   workspace.centroids + k * D, old);
        }
        double most = square;
        for (int lanes = 16; lanes > 0; lanes /= 2) most = fmax(most, __shfl_xor_sync(~0U, most, lanes));
        square = device::group_sum<32>(square);
        if (k % 32 == 0) squares[k / 32] = square, farthest[k / 32] = most;
    }
    __syncthreads();
    Movement all;
    for (int w = 0; w < parts; ++w) all.squares += squares[w], all.farthest = fmax(all.farthest, farthest[w]);
    return all;
}

template <int D>
__device__ void load_workspace(const SmallKTask& task, const SmallKWorkspace& workspace) {
    const Index values = task.clusters * D, sums = task.clusters * (D + 1);
    const Index changes = copies_of<D>(task.clusters) * changes_of<D>(task.clusters);
    for (Index i = static_cast<Index>(threadIdx.x); i < values; i += threads)
        workspace.centroids[i] = task.centroids[i];
    for (Index i = static_cast<Index>(threadIdx.x); i < sums; i += threads) workspace.sums[i] = task.sums[i];
    for (Index i = static_cast<Index>(threadIdx.x); i < changes; i += threads) workspace.changes[i] = 0;
    if (threadIdx.x <= D) workspace.scales[threadIdx.x] = task.scales[threadIdx.x];
    __syncthreads();
}

template <int D>
__device__ void store_workspace(const SmallKTask& task, const SmallKWorkspace& workspace, const LoopState& progress,
                                double drift) {
    cooperative_groups::this_grid().sync();  // all blocks have read the state
    if (blockIdx.x != 0) return;
    const Index values = task.clusters * D, sums = task.clusters * (D + 1);
    for (Index i = static_cast<Index>(threadIdx.x); i < values; i += threads)
        task.centroids[i] = workspace.centroids[i];
    for (Index i = static_cast<Index>(threadIdx.x); i < sums; i += threads) task.sums[i] = workspace.sums[i];
    if (threadIdx.x == 0) *task.progress = progress, *task.drift = drift;
}

/// task.iterations iterations; 0: only assigns rows.
template <int D, bool Inertia>
__global__ void __launch_bounds__(threads, min_blocks) small_k_kernel(SmallKTask task) {
    extern __shared__ Bits memory[];
    const SmallKWorkspace workspace = SmallKWorkspace::in<D>(memory, task.clusters);
    load_workspace<D>(task, workspace);
    LoopState progress = *task.progress;
    double inertia = progress.next_inertia, drift = *task.drift;
    for (int pass = 0; pass < max(task.iterations, 1); ++pass) {
        if (pass > 0 || !task.assigned) {
            if constexpr (Inertia) {
                scan_all<D>(task, workspace, drift, pass % 2 != 0);
            } else {
                scan<D>(task, workspace, drift, pass % 2 != 0);
            }
            const Offset changed = sum_changes<D>(task, workspace, pass);
            if (task.iterations == 0) break;
            if constexpr (Inertia) inertia = inertia_of_parts(task);
            if (task.stopping.by_change(changed, progress.iterations)) {
                progress.reason = Reason::converged;
                break;
            }
            const bool without = threadIdx.x < task.clusters && workspace.sums[threadIdx.x * (D + 1) + D] == 0;
            progress.empty = __syncthreads_count(without);
            if (progress.empty > task.stopping.tolerated_empty) {
                progress.reason = Reason::emptied;
                progress.next_inertia = inertia;
                break;
            }
        }
        const Movement moved = move<D>(task, workspace);
        drift += moved.drift();
        ++progress.iterations;
        const bool is_last = task.stopping.by_move(moved.squares, progress.inertia, inertia);
        progress.inertia = inertia;
        if (!is_last) continue;
        progress.reason = Reason::converged;
        break;
    }
    store_workspace<D>(task, workspace, progress, drift);
}

using Kernel = void (*)(SmallKTask);

template <bool Inertia>
Kernel kernel_for(Index cols) {
    const Kernel kernels[] = {small_k_kernel<1, Inertia>, small_k_kernel<2, Inertia>, small_k_kernel<3, Inertia>,
                              small_k_kernel<4, Inertia>};
    return kernels[cols - 1];
}

std::size_t workspace_bytes(Index cols, Index clusters) {
    const std::size_t bytes[] = {small_k::workspace_bytes<1>(clusters), small_k::workspace_bytes<2>(clusters),
                                 small_k::workspace_bytes<3>(clusters), small_k::workspace_bytes<4>(clusters)};
    return bytes[cols - 1];
}

/// Number of blocks: at most those that are resident at once, since they wait for each other, and not more than have
/// rows.
int blocks_of(device::Cuda& cuda, Kernel kernel, std::size_t shared, Index rows) {
    int per_multiprocessor = 0;
    device::cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, shared));
    return std::min(per_multiprocessor * cuda.multiprocessors(), rows / (threads * group_rows) + 1);
}

Offset blocks_of(Index rows) { return (Offset{rows} + math::sum_block - 1) / math::sum_block; }

/// Number of partial sums of the inertia: blocks of rows and the tree above them.
std::size_t parts_room(const DeviceState& state) { return device::tree_room(blocks_of(state.n)); }

std::size_t changes_room(const DeviceState& state) {
    return static_cast<std::size_t>(state.clusters * (state.cols + 1) + 1);
}

}  // namespace

bool small_k_suits(Index cols, Index clusters) { return cols <= max_cols && clusters <= max_clusters; }

void SmallKLloyd::prepare(device::Cuda& cuda, const DeviceState& state) {
    cuda.resize(changes_, rounds * changes_room(state));
    const std::size_t groups = (static_cast<std::size_t>(state.n) + group_rows - 1) / group_rows;
    cuda.fill(labels_, groups * group_rows, no_label);
    cuda.fill(expires_, groups, -INFINITY);
    cuda.set(drift_, 0.0);
    cuda.resize(parts_, parts_room(state) + 1);
}

void SmallKLloyd::launch(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                         bool assigned) {
    const Kernel kernel = stopping.rule == Rule::inertia ? kernel_for<true>(state.cols) : kernel_for<false>(state.cols);
    const std::size_t shared = workspace_bytes(state.cols, state.clusters);
    device::cuda_check(cudaMemsetAsync(changes_.data(), 0, changes_.size() * sizeof(Bits), cuda.stream()));
    SmallKTask task{state.rows.data(),
                    state.weights.data(),
                    labels_.data(),
                    expires_.data(),
                    state.centroids.data(),
                    state.sums.data(),
                    changes_.data(),
                    parts_.data(),
                    static_cast<Offset>(parts_room(state)),
                    state.scales.data(),
                    cuda.address(state.progress),
                    cuda.address(drift_),
                    stopping,
                    state.metric,
                    state.n,
                    state.clusters,
                    iterations,
                    assigned};
    void* arguments[] = {&task};
    device::cuda_check(cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks_of(cuda, kernel, shared, state.n))),
        dim3(threads), arguments, shared, cuda.stream()));
}

void SmallKLloyd::iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                          bool assigned) {
    launch(cuda, state, stopping, iterations, assigned);
}

std::vector<Index> SmallKLloyd::labels(device::Cuda& cuda, const DeviceState& state) {
    const std::vector<Label> narrow = cuda.host(labels_);
    std::vector<Index> labels(narrow.begin(), narrow.begin() + state.n);
    std::replace(labels.begin(), labels.end(), Index{no_label}, Index{-1});  // none yet, as the other kernel says
    return labels;
}

void SmallKLloyd::set_labels(device::Cuda& cuda, const std::vector<Index>& labels) {
    std::vector<Label> narrow(labels.begin(), labels.end());  // -1 becomes no_label
    narrow.resize(labels_.size(), no_label);
    cuda.upload(labels_, narrow);
    cuda.fill(expires_, expires_.size(), -INFINITY);
}

void SmallKLloyd::assign(device::Cuda& cuda, DeviceState& state, bool with_inertia) {
    launch(cuda, state, {.rule = with_inertia ? Rule::inertia : Rule::never}, 0, false);
}

void SmallKLloyd::set_drift(device::Cuda& cuda, double drift) { cuda.set(drift_, drift); }

/// The first round's count is at the end of its changes.
Offset SmallKLloyd::changed(device::Cuda& cuda, const DeviceState& state) {
    Bits count = 0;
    cuda.copy_out(&count, changes_.data() + changes_room(state) - 1, sizeof count);
    return static_cast<Offset>(count);
}

std::vector<double> SmallKLloyd::inertia_blocks(device::Cuda& cuda, const DeviceState& state) {
    std::vector<double> sums(static_cast<std::size_t>(blocks_of(state.n)));
    cuda.copy_out(sums.data(), parts_.data(), sums.size() * sizeof(double));
    return sums;
}

}  // namespace dunlin::kmeans
