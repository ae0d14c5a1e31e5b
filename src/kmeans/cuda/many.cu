// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/many.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, move_threads = 128;

/// Whether iterations go on; by one block, before the centroids move.
__global__ void look_kernel(const Bits* sums, const Bits* changed, const double* inertia, Index clusters, Index cols,
                            Ends ends, Progress* progress) {
    if (progress->reason != Reason::going_on) return;
    int empty = 0;
    for (Index k = static_cast<Index>(threadIdx.x); k < clusters; k += threads) {
        empty += sums[Offset{k} * (cols + 1) + cols] == 0 ? 1 : 0;
    }
    const double all = device::block_sum<threads>(static_cast<double>(empty));
    if (threadIdx.x != 0) return;
    progress->empty = static_cast<Index>(all);
    if (inertia != nullptr) progress->next_inertia = *inertia;
    if (ends.by_change(static_cast<Offset>(*changed), progress->iterations)) {
        progress->reason = Reason::converged;
    } else if (progress->empty > ends.tolerated_empty) {
        progress->reason = Reason::emptied;
    }
}

struct MoveTask {
    const Bits* sums;
    const double* scales;
    float *centroids, *old;
    double* shifts;
    const Progress* progress;
    Index cols;
    Metric metric;
};

/// A block for each centroid.
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

/// Counts the iteration and decides whether it was the last; by one block, after the centroids moved.
__global__ void end_kernel(const double* shifts, Index clusters, Ends ends, Progress* progress) {
    if (progress->reason != Reason::going_on) return;
    double shift = 0;
    for (Index k = static_cast<Index>(threadIdx.x); k < clusters; k += threads) shift += shifts[k];
    shift = device::block_sum<threads>(shift);
    if (threadIdx.x != 0) return;
    ++progress->iterations;
    if (ends.by_move(shift, progress->inertia, progress->next_inertia)) progress->reason = Reason::converged;
    progress->inertia = progress->next_inertia;
}

}  // namespace

void Many::prepare(device::Cuda& cuda, const DeviceState& state) {
    const Index most = feed_.most(state);
    if (feed_.holds_all()) round_rows(cuda, state, frame_, rows_);
    prepare_centroids(cuda, state, centroids_);
    undecided_.prepare(cuda, most);
    cuda.fill(labels_, static_cast<std::size_t>(state.n), Index{-1});
    cuda.resize(nearest_, static_cast<std::size_t>(most));
    changes_.prepare(cuda, state.clusters, most);
    cuda.resize(old_, state.centroids.size());
    cuda.resize(shifts_, static_cast<std::size_t>(state.clusters));
    inertia_.prepare(cuda, state);
}

void Many::relabel(device::Cuda& cuda, DeviceState& state, bool with_inertia) {
    round_centroids(cuda, state, frame_, centroids_);
    changes_.begin(cuda);
    feed_.each(cuda, state, [&] {
        if (!feed_.holds_all()) round_rows(cuda, state, frame_, rows_);
        score(cuda, state, rows_, centroids_, labels_.data() + state.first, nearest_.data(), undecided_);
        list_candidates(cuda, state, rows_, centroids_, undecided_);
        decide(cuda, state, centroids_, undecided_, nearest_.data());
        changes_.apply(cuda, state, nearest_.data(), labels_.data() + state.first);
        if (with_inertia) inertia_.add(cuda, state, labels_.data());
    });
}

void Many::move(device::Cuda& cuda, DeviceState& state, const Ends& ends, bool looks_at_change) {
    Progress* progress = cuda.address(state.progress);
    if (looks_at_change) {
        double* inertia = ends.rule == Rule::inertia ? cuda.address(inertia_.total(cuda)) : nullptr;
        look_kernel<<<1, threads, 0, cuda.stream()>>>(state.sums.data(), changes_.count(), inertia, state.clusters,
                                                      state.cols, ends, progress);
    }
    move_kernel<<<static_cast<unsigned>(state.clusters), move_threads, 0, cuda.stream()>>>(
        {state.sums.data(), state.scales.data(), state.centroids.data(), old_.data(), shifts_.data(), progress,
         state.cols, state.metric});
    end_kernel<<<1, threads, 0, cuda.stream()>>>(shifts_.data(), state.clusters, ends, progress);
    device::cuda_check(cudaGetLastError());
}

void Many::iterate(device::Cuda& cuda, DeviceState& state, const Ends& ends, int iterations, bool assigned) {
    for (int t = 0; t < iterations; ++t) {
        const bool looks = t > 0 || !assigned;
        if (looks) relabel(cuda, state, ends.rule == Rule::inertia);
        move(cuda, state, ends, looks);
    }
}

void Many::assign(device::Cuda& cuda, DeviceState& state) {
    Progress at = cuda.read(state.progress);
    at.reason = Reason::going_on;
    cuda.set(state.progress, at);
    relabel(cuda, state, false);
    cuda.wait();  // `at` is read until here
}

}  // namespace dunlin::kmeans
