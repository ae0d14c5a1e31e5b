#include <cooperative_groups.h>

#include "kmeans/on_device/few.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256;
constexpr Index most_cols = 4, most_clusters = 128;
constexpr int abreast = 4;  ///< rows of a thread: with D columns they are D times 16 bytes
constexpr int rounds = 3;   ///< one is added to, one is read, one is cleared

using Label = std::uint8_t;
constexpr Label no_label = 255;
static_assert(most_clusters < no_label);

struct Task {
    const float* rows;
    const float* weights;
    Label* labels;
    float* centroids;
    Bits* sums;
    Bits* changes;
    double* parts;
    const double* scales;
    Progress* progress;
    Ends ends;
    Metric metric;
    Index n, clusters;
    int iterations;
    bool assigned;
};

/// What a block has of its own, in shared memory.
struct Desk {
    float* centroids;  ///< clusters x D
    Bits* sums;        ///< clusters x (D + 1), the run's
    Bits* changes;     ///< the same, of this block in this iteration, then the number of rows
    double* scales;    ///< D + 1

    template <int D>
    __device__ static Desk in(void* memory, Index clusters) {
        auto* sums = static_cast<Bits*>(memory);
        Bits* changes = sums + clusters * (D + 1);
        auto* scales = reinterpret_cast<double*>(changes + clusters * (D + 1) + 1);
        return {reinterpret_cast<float*>(scales + D + 1), sums, changes, scales};
    }
};
/// The centroids fill whole fours: the compiler reads several floats at once, also where they end in between.
template <int D>
std::size_t desk_bytes(Index clusters) {
    const auto k = static_cast<std::size_t>(clusters);
    return (2 * k * (D + 1) + 1 + D + 1) * sizeof(Bits) + (k * D + 3) / 4 * 4 * sizeof(float);
}

template <int D>
struct Row {
    float at[D];
};

/// Nearest centroids of a thread's rows.
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

/// Whether all rows surely keep their clusters: no other centroid is as near as theirs, rounding included. best: the
/// distances to theirs.
template <int D>
__device__ bool all_stay(const Row<D> (&x)[abreast], const Index (&label)[abreast], const float* centroids,
                         Index clusters, float (&best)[abreast]) {
    float limit[abreast];
    int within[abreast];
#pragma unroll
    for (int r = 0; r < abreast; ++r) {
        if (label[r] == no_label) return false;
        best[r] = squared<D>(x[r], centroids + label[r] * D);
        limit[r] = best[r] * (1 + 4 * float_error(D)) + 1e-30F;
        within[r] = 0;
    }
#pragma unroll 4
    for (Index k = 0; k < clusters; ++k) {
        float centroid[D];
#pragma unroll
        for (int c = 0; c < D; ++c) centroid[c] = centroids[k * D + c];
#pragma unroll
        for (int r = 0; r < abreast; ++r) within[r] += squared<D>(x[r], centroid) <= limit[r] ? 1 : 0;
    }
    bool all = true;
#pragma unroll
    for (int r = 0; r < abreast; ++r) all = all && within[r] == 1;
    return all;
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

/// sum of the values of the lanes in `of`, all of which call it; for lane `first` of them.
__device__ Sum sum_over(std::uint32_t of, Sum value) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if ((of >> lane & 1) == 0) value = 0;
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    return value;
}

/// Adds the rows of the lanes whose `label` is not -1 to their clusters' changes, with this sign; by a whole warp.
template <int D>
__device__ void add_rows(const Desk& desk, const Sum (&values)[D + 1], Index label, Sum sign) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (std::uint32_t left = __ballot_sync(~0U, label >= 0); left != 0;) {
        const int first = __ffs(static_cast<int>(left)) - 1;
        const Index cluster = __shfl_sync(~0U, label, first);
        const std::uint32_t same = __ballot_sync(~0U, label == cluster);
        left &= ~same;
#pragma unroll
        for (int c = 0; c <= D; ++c) {
            const Sum sum = sum_over(same, values[c]);
            if (lane == first) add_to(desk.changes + cluster * (D + 1) + c, sign * sum);
        }
    }
}

/// Takes a row from its old cluster to its new one where they differ; by a whole warp, some of whose lanes do.
template <int D>
__device__ void change_rows(const Task& task, const Desk& desk, Index row, const Row<D>& x, Index from, Index to) {
    const bool changed = from != to;
    Sum values[D + 1];
    const float weight = changed && task.weights != nullptr ? task.weights[row] : 1.0F;
#pragma unroll
    for (int c = 0; c < D; ++c) {
        values[c] = to_integer(static_cast<double>(weight) * static_cast<double>(x.at[c]), desk.scales[c]);
    }
    values[D] = to_integer(static_cast<double>(weight), desk.scales[D]);
    add_rows<D>(desk, values, changed ? to : -1, 1);
    add_rows<D>(desk, values, changed && from != no_label ? from : -1, -1);
    const std::uint32_t all = __ballot_sync(~0U, changed);
    if (threadIdx.x % 32 == 0) add_to(desk.changes + task.clusters * (D + 1), __popc(all));
    if (changed) task.labels[row] = static_cast<Label>(to);
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

/// Every row to its nearest centroid; the changes of sums are left in the desk. Every second time backwards: what was
/// read last is still in the cache. Returns the thread's part of the inertia.
template <int D, bool Inertia>
__device__ double scan(const Task& task, const Desk& desk, bool backwards) {
    const Offset groups = (Offset{task.n} + abreast - 1) / abreast, stride = Offset{gridDim.x} * threads;
    double inertia = 0;
    for (Offset first = Offset{blockIdx.x} * threads + threadIdx.x / 32 * 32; first < groups; first += stride) {
        const Offset forward = first + threadIdx.x % 32, group = backwards ? groups - 1 - forward : forward;
        Row<D> x[abreast];
        Index old[abreast];
        const bool here = forward < groups;
        load<D>(task, here ? group : 0, x, old);
        Nearest nearest;
        if (all_stay<D>(x, old, desk.centroids, task.clusters, nearest.best)) {
#pragma unroll
            for (int r = 0; r < abreast; ++r) nearest.label[r] = old[r];
        } else {
            nearest = nearest_of_rows<D>(x, desk.centroids, task.clusters);
        }
        bool changed = false;
#pragma unroll
        for (int r = 0; r < abreast; ++r) {
            const Offset row = group * abreast + r;
            const bool counts = here && row < task.n;
            if (!counts) nearest.label[r] = old[r];
            changed |= nearest.label[r] != old[r];
            if constexpr (Inertia) {
                const double weight = counts && task.weights != nullptr ? double(task.weights[row]) : 1.0;
                if (counts) inertia += weight * static_cast<double>(nearest.best[r]);
            }
        }
        if (!__any_sync(~0U, changed)) continue;
#pragma unroll
        for (int r = 0; r < abreast; ++r) {
            if (!__any_sync(~0U, nearest.label[r] != old[r])) continue;
            change_rows<D>(task, desk, static_cast<Index>(group * abreast + r), x[r], old[r], nearest.label[r]);
        }
    }
    return inertia;
}

/// Brings the blocks' changes together: afterwards every block has the sums of all. Returns how many rows changed.
template <int D>
__device__ Offset share_changes(const Task& task, const Desk& desk, int pass) {
    const Index count = task.clusters * (D + 1) + 1;
    Bits* here = task.changes + pass % rounds * count;
    __syncthreads();
    for (Index i = static_cast<Index>(threadIdx.x); i < count; i += threads) {
        if (desk.changes[i] != 0) atomicAdd(here + i, desk.changes[i]);
        desk.changes[i] = 0;
    }
    cooperative_groups::this_grid().sync();
    for (Index i = static_cast<Index>(threadIdx.x); i + 1 < count; i += threads) desk.sums[i] += __ldcg(here + i);
    Bits* later = task.changes + (pass + 2) % rounds * count;
    for (Index i = static_cast<Index>(threadIdx.x); i < count && blockIdx.x == 0; i += threads) later[i] = 0;
    __syncthreads();
    return static_cast<Offset>(__ldcg(here + count - 1));
}

/// The value that thread 0 has, for all.
template <class T>
__device__ T from_first(T value) {
    __shared__ T shared;
    if (threadIdx.x == 0) shared = value;
    __syncthreads();
    value = shared;
    __syncthreads();
    return value;
}

/// The blocks' parts of the inertia in one order.
__device__ double inertia_of_parts(const double* parts) {
    double sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) sum += __ldcg(parts + b);
    return from_first(device::block_sum<threads>(sum));
}

template <int D>
__device__ double move(const Task& task, const Desk& desk) {
    const Index k = static_cast<Index>(threadIdx.x);
    float old[D];
    double shift = 0;
    if (k < task.clusters) {
        shift = move_centroid(desk.sums + k * (D + 1), desk.scales, D, task.metric, desk.centroids + k * D, old);
    }
    return from_first(device::block_sum<threads>(shift));
}

template <int D>
__device__ void open_desk(const Task& task, const Desk& desk) {
    const Index values = task.clusters * D, sums = task.clusters * (D + 1);
    for (Index i = static_cast<Index>(threadIdx.x); i < values; i += threads) desk.centroids[i] = task.centroids[i];
    for (Index i = static_cast<Index>(threadIdx.x); i < sums; i += threads) desk.sums[i] = task.sums[i];
    for (Index i = static_cast<Index>(threadIdx.x); i <= sums; i += threads) desk.changes[i] = 0;
    if (threadIdx.x <= D) desk.scales[threadIdx.x] = task.scales[threadIdx.x];
    __syncthreads();
}

template <int D>
__device__ void close_desk(const Task& task, const Desk& desk, const Progress& progress) {
    cooperative_groups::this_grid().sync();  // until all blocks have read the state
    if (blockIdx.x != 0) return;
    const Index values = task.clusters * D, sums = task.clusters * (D + 1);
    for (Index i = static_cast<Index>(threadIdx.x); i < values; i += threads) task.centroids[i] = desk.centroids[i];
    for (Index i = static_cast<Index>(threadIdx.x); i < sums; i += threads) task.sums[i] = desk.sums[i];
    if (threadIdx.x == 0) *task.progress = progress;
}

/// task.iterations of them; 0: rows are assigned once.
template <int D, bool Inertia>
__global__ void __launch_bounds__(threads) few_kernel(Task task) {
    extern __shared__ Bits memory[];
    const Desk desk = Desk::in<D>(memory, task.clusters);
    open_desk<D>(task, desk);
    Progress progress = *task.progress;
    double inertia = progress.next_inertia;
    for (int pass = 0; pass < max(task.iterations, 1); ++pass) {
        if (pass > 0 || !task.assigned) {
            const double part = scan<D, Inertia>(task, desk, pass % 2 != 0);
            double* parts = task.parts + pass % 2 * gridDim.x;
            if constexpr (Inertia) {
                const double sum = device::block_sum<threads>(part);
                if (threadIdx.x == 0) parts[blockIdx.x] = sum;
            }
            const Offset changed = share_changes<D>(task, desk, pass);
            if (task.iterations == 0) break;
            if constexpr (Inertia) inertia = inertia_of_parts(parts);
            if (task.ends.by_change(changed, progress.iterations)) {
                progress.reason = Reason::converged;
                break;
            }
            const bool without = threadIdx.x < task.clusters && desk.sums[threadIdx.x * (D + 1) + D] == 0;
            progress.empty = __syncthreads_count(without);
            if (progress.empty > task.ends.tolerated_empty) {
                progress.reason = Reason::emptied;
                progress.next_inertia = inertia;
                break;
            }
        }
        const double shift = move<D>(task, desk);
        ++progress.iterations;
        const bool ends = task.ends.by_move(shift, progress.inertia, inertia);
        progress.inertia = inertia;
        if (!ends) continue;
        progress.reason = Reason::converged;
        break;
    }
    close_desk<D>(task, desk, progress);
}

using Kernel = void (*)(Task);

template <bool Inertia>
Kernel kernel_for(Index cols) {
    const Kernel kernels[] = {few_kernel<1, Inertia>, few_kernel<2, Inertia>, few_kernel<3, Inertia>,
                              few_kernel<4, Inertia>};
    return kernels[cols - 1];
}

std::size_t desk_bytes(Index cols, Index clusters) {
    const std::size_t bytes[] = {desk_bytes<1>(clusters), desk_bytes<2>(clusters), desk_bytes<3>(clusters),
                                 desk_bytes<4>(clusters)};
    return bytes[cols - 1];
}

int blocks_of(device::Cuda& cuda, Kernel kernel, std::size_t shared) {
    int per_multiprocessor = 0;
    device::cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, shared));
    return per_multiprocessor * cuda.multiprocessors();
}

}  // namespace

bool few_suits(Index cols, Index clusters) { return cols <= most_cols && clusters <= most_clusters; }

void Few::prepare(device::Cuda& cuda, const DeviceState& state) {
    const auto count = static_cast<std::size_t>(state.clusters * (state.cols + 1) + 1);
    cuda.resize(changes_, rounds * count);
    cuda.fill(labels_, (static_cast<std::size_t>(state.n) + abreast - 1) / abreast * abreast, no_label);
    cuda.resize(parts_, std::size_t{2} * 32 * static_cast<std::size_t>(cuda.multiprocessors()));
}

void Few::launch(device::Cuda& cuda, DeviceState& state, const Ends& ends, int iterations, bool assigned) {
    const Kernel kernel = ends.rule == Rule::inertia ? kernel_for<true>(state.cols) : kernel_for<false>(state.cols);
    const std::size_t shared = desk_bytes(state.cols, state.clusters);
    device::cuda_check(cudaMemsetAsync(changes_.data(), 0, changes_.size() * sizeof(Bits), cuda.stream()));
    Task task{state.rows.data(),
              state.weights.data(),
              labels_.data(),
              state.centroids.data(),
              state.sums.data(),
              changes_.data(),
              parts_.data(),
              state.scales.data(),
              cuda.address(state.progress),
              ends,
              state.metric,
              state.n,
              state.clusters,
              iterations,
              assigned};
    void* arguments[] = {&task};
    device::cuda_check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                                   dim3(static_cast<unsigned>(blocks_of(cuda, kernel, shared))),
                                                   dim3(threads), arguments, shared, cuda.stream()));
}

void Few::iterate(device::Cuda& cuda, DeviceState& state, const Ends& ends, int iterations, bool assigned) {
    launch(cuda, state, ends, iterations, assigned);
}

std::vector<Index> Few::labels(device::Cuda& cuda, const DeviceState& state) {
    const std::vector<Label> labels = cuda.host(labels_);
    return {labels.begin(), labels.begin() + state.n};
}

void Few::set_labels(device::Cuda& cuda, const std::vector<Index>& labels) {
    std::vector<Label> narrow(labels.begin(), labels.end());
    narrow.resize(labels_.size(), no_label);
    cuda.upload(labels_, narrow);
}

void Few::assign(device::Cuda& cuda, DeviceState& state) { launch(cuda, state, {}, 0, false); }

}  // namespace dunlin::kmeans
