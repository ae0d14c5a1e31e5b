#pragma once

#include "kmeans/on_device/few.cuh"

/// The rows' part of an iteration for few clusters: each to its nearest centroid, and what changes of the sums by it.
namespace dunlin::kmeans::few {

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
inline __device__ Sum sum_over(std::uint32_t of, Sum value) {
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

}  // namespace dunlin::kmeans::few
