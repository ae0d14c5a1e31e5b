// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/tensor_core.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, move_threads = 128;

/// Decides before the centroids move whether iterations continue; one block.
__global__ void check_kernel(const Bits* sums, const Bits* changed, const double* inertia, Index clusters, Index cols,
                             LloydStoppingRule stopping, LoopState* progress) {
    if (progress->reason != Reason::going_on) return;
    int empty = 0;
    for (Index k = static_cast<Index>(threadIdx.x); k < clusters; k += threads) {
        empty += sums[Offset{k} * (cols + 1) + cols] == 0 ? 1 : 0;
    }
    const double all = device::block_sum<threads>(static_cast<double>(empty));
    if (threadIdx.x != 0) return;
    progress->empty = static_cast<Index>(all);
    if (inertia != nullptr) progress->next_inertia = *inertia;
    if (stopping.by_change(static_cast<Offset>(*changed), progress->iterations)) {
        progress->reason = Reason::converged;
    } else if (progress->empty > stopping.tolerated_empty) {
        progress->reason = Reason::emptied;
    }
}

struct MoveTask {
    const Bits* sums;
    const double* scales;
    float *centroids, *old;
    double* shifts;
    const LoopState* progress;
    Index cols;
    Metric metric;
};

/// Moves centroids to the means; one block per centroid.
__global__ void __launch_bounds__(move_threads) move_kernel(MoveTask task) {
    if (task.progress->reason != Reason::going_on) return;
    const Offset k = blockIdx.x;
    const Bits* sums = task.sums + k * (task.cols + 1);
    float *centroid = task.centroids + k * task.cols, *old = task.old + k * task.cols;
    const Sum weight = static_cast<Sum>(sums[task.cols]);
    for (Index c = static_cast<Index>(threadIdx.x); c < task.cols; c += move_threads) {
        old[c] = centroid[c];
        if (weight == 0) continue;
        centroid[c] = mean_of(static_cast<Sum>(sums[c]), task.scales[c], weight, task.scales[task.cols]);
    }
    __syncthreads();
    if (task.metric == Metric::cosine && weight != 0 && threadIdx.x == 0) scale_to_unit(centroid, task.cols);
    __syncthreads();
    double shift = 0;
    for (Index c = static_cast<Index>(threadIdx.x); c < task.cols; c += move_threads) {
        shift = add_square(shift, centroid[c], old[c]);
    }
    shift = device::block_sum<move_threads>(shift);
    if (threadIdx.x == 0) task.shifts[k] = shift;
}

/// Counts the iteration and decides after the centroids moved whether it was the last; one block.
__global__ void finish_kernel(const double* shifts, Index clusters, LloydStoppingRule stopping, LoopState* progress) {
    if (progress->reason != Reason::going_on) return;
    double shift = 0;
    for (Index k = static_cast<Index>(threadIdx.x); k < clusters; k += threads) shift += shifts[k];
    shift = device::block_sum<threads>(shift);
    if (threadIdx.x != 0) return;
    ++progress->iterations;
    if (stopping.by_move(shift, progress->inertia, progress->next_inertia)) progress->reason = Reason::converged;
    progress->inertia = progress->next_inertia;
}

}  // namespace

void TensorCoreWorkspace::prepare(device::Cuda& cuda, const DeviceState& state, Index rows) {
    prepare_centroids(cuda, state, centroids);
    undecided.prepare(cuda, rows);
    cuda.resize(nearest, static_cast<std::size_t>(rows));
    changes.prepare(cuda, state.clusters, rows);
    cuda.resize(old, state.centroids.size());
    cuda.resize(shifts, static_cast<std::size_t>(state.clusters));
    rows_ = rows, clusters_ = state.clusters, cols_ = state.cols;
}

bool TensorCoreWorkspace::suits(const DeviceState& state, Index rows) const {
    return rows_ >= rows && clusters_ == state.clusters && cols_ == state.cols;
}

void TensorCoreLloyd::prepare(device::Cuda& cuda, const DeviceState& state) {
    if (work_ == nullptr) {
        work_ = std::make_shared<TensorCoreWorkspace>();
        work_->prepare(cuda, state, stream_.most(state));
    }
    if (stream_.holds_all()) round_rows(cuda, state, frame_, rows_);
    cuda.fill(labels_, static_cast<std::size_t>(state.n), Index{-1});
    inertia_.prepare(cuda, state);
}

void TensorCoreLloyd::relabel(device::Cuda& cuda, DeviceState& state, bool with_inertia) {
    TensorCoreWorkspace& work = *work_;
    round_centroids(cuda, state, frame_, work.centroids);
    work.changes.begin(cuda);
    stream_.each(cuda, state, [&] {
        if (!stream_.holds_all()) round_rows(cuda, state, frame_, rows_);
        score(cuda, state, rows_, work.centroids, labels_.data() + state.first, work.nearest.data(), work.undecided);
        list_candidates(cuda, state, rows_, work.centroids, work.undecided);
        decide(cuda, state, work.centroids, work.undecided, work.nearest.data());
        work.changes.apply(cuda, state, work.nearest.data(), labels_.data() + state.first);
        if (with_inertia) inertia_.add(cuda, state, labels_.data());
    });
}

void TensorCoreLloyd::move(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping,
                           bool checks_change) {
    LoopState* progress = cuda.address(state.progress);
    if (checks_change) {
        double* inertia = stopping.rule == Rule::inertia ? cuda.address(inertia_.total(cuda)) : nullptr;
        check_kernel<<<1, threads, 0, cuda.stream()>>>(state.sums.data(), work_->changes.count(), inertia,
                                                       state.clusters, state.cols, stopping, progress);
    }
    move_kernel<<<static_cast<unsigned>(state.clusters), move_threads, 0, cuda.stream()>>>(
        {state.sums.data(), state.scales.data(), state.centroids.data(), work_->old.data(), work_->shifts.data(),
         progress, state.cols, state.metric});
    finish_kernel<<<1, threads, 0, cuda.stream()>>>(work_->shifts.data(), state.clusters, stopping, progress);
    device::cuda_check(cudaGetLastError());
}

void TensorCoreLloyd::iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                              bool assigned) {
    for (int t = 0; t < iterations; ++t) {
        const bool assigns = t > 0 || !assigned;
        if (assigns) relabel(cuda, state, stopping.rule == Rule::inertia);
        move(cuda, state, stopping, assigns);
    }
}

void TensorCoreLloyd::assign(device::Cuda& cuda, DeviceState& state, bool with_inertia) {
    LoopState at = cuda.read(state.progress);
    at.reason = Reason::going_on;
    cuda.set(state.progress, at);
    relabel(cuda, state, with_inertia);
    cuda.wait();  // the copy reads `at` until here
}

}  // namespace dunlin::kmeans
