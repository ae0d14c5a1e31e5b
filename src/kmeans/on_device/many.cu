#include "kmeans/on_device/inertia.cuh"
#include "kmeans/on_device/many.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, move_threads = 128;

struct ChangeTask {
    const float *rows, *weights;
    const double* scales;
    const Index* nearest;
    Index* labels;
    Bits *sums, *changed;
    const Progress* progress;
    Index n, cols;
};

/// A row's coordinates and its weight to a cluster's sums, with this sign; by a whole warp.
__device__ void add_row(const ChangeTask& task, Offset row, Index cluster, Sum sign) {
    const double weight = task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
    const float* x = task.rows + row * task.cols;
    Bits* sums = task.sums + Offset{cluster} * (task.cols + 1);
    for (Index c = static_cast<Index>(threadIdx.x % 32); c <= task.cols; c += 32) {
        const double value = c < task.cols ? weight * static_cast<double>(x[c]) : weight;
        add_to(sums + c, sign * to_integer(value, task.scales[c]));
    }
}

/// Each lane looks at a row; those that changed are dealt with one by one by the warp.
__global__ void __launch_bounds__(threads) change_kernel(ChangeTask task) {
    if (task.progress->reason != Reason::going_on) return;
    const Offset first = Offset{blockIdx.x} * threads + threadIdx.x / 32 * 32;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const Offset row = first + lane;
    const Index old = row < task.n ? task.labels[row] : 0, now = row < task.n ? task.nearest[row] : 0;
    std::uint32_t left = __ballot_sync(~0U, old != now);
    if (left == 0) return;
    if (lane == 0) add_to(task.changed, __popc(left));
    if (old != now) task.labels[row] = now;
    for (; left != 0; left &= left - 1) {
        const int next = __ffs(static_cast<int>(left)) - 1;
        const Index from = __shfl_sync(~0U, old, next), to = __shfl_sync(~0U, now, next);
        if (from >= 0) add_row(task, first + next, from, -1);
        add_row(task, first + next, to, 1);
    }
}

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
    const auto n = static_cast<std::size_t>(state.n);
    sketch_rows(cuda, state, frame_, rows_);
    prepare_centroids(cuda, state, centroids_);
    cuda.resize(undecided_.rows, n);
    cuda.fill(undecided_.count, 1, 0U);
    cuda.fill(labels_, n, Index{-1});
    cuda.resize(nearest_, n);
    cuda.resize(changed_, 1);
    cuda.resize(old_, state.centroids.size());
    cuda.resize(shifts_, static_cast<std::size_t>(state.clusters));
    cuda.address(inertia_);
}

void Many::find_nearest(device::Cuda& cuda, DeviceState& state) {
    sketch_centroids(cuda, state, frame_, centroids_);
    score(cuda, state, rows_, centroids_, nearest_.data(), undecided_);
    decide(cuda, state, centroids_, undecided_, nearest_.data());
}

void Many::change(device::Cuda& cuda, DeviceState& state) {
    device::cuda_check(cudaMemsetAsync(changed_.data(), 0, sizeof(Bits), cuda.stream()));
    const ChangeTask task{
        state.rows.data(), state.weights.data(), state.scales.data(),          nearest_.data(), labels_.data(),
        state.sums.data(), changed_.data(),      cuda.address(state.progress), state.n,         state.cols};
    const auto blocks = static_cast<unsigned>((Offset{state.n} + threads - 1) / threads);
    change_kernel<<<blocks, threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

void Many::move(device::Cuda& cuda, DeviceState& state, const Ends& ends, bool looks_at_change) {
    Progress* progress = cuda.address(state.progress);
    if (looks_at_change) {
        const bool with_inertia = ends.rule == Rule::inertia;
        if (with_inertia) cuda.sum(state.n, inertia_of_row(state, labels_.data()), inertia_);
        look_kernel<<<1, threads, 0, cuda.stream()>>>(state.sums.data(), changed_.data(),
                                                      with_inertia ? cuda.address(inertia_) : nullptr, state.clusters,
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
        if (looks) find_nearest(cuda, state), change(cuda, state);
        move(cuda, state, ends, looks);
    }
}

void Many::assign(device::Cuda& cuda, DeviceState& state) {
    Progress at = cuda.read(state.progress);
    at.reason = Reason::going_on;
    cuda.set(state.progress, at);
    find_nearest(cuda, state);
    change(cuda, state);
    cuda.wait();  // `at` is read until here
}

}  // namespace dunlin::kmeans
