// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/rank.cuh"
#include "neighbors/cuda/sorting.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int threads = 128;
constexpr std::size_t bytes_per_entry = 24;  ///< of shared memory

struct Ranked {
    double key;
    Index item, id;  // of ItemRows
    __device__ bool operator<(const Ranked& other) const { return key != other.key ? key < other.key : id < other.id; }
};

/// What is to be known of sketches, if there are.
struct Halves {
    const float *errors = nullptr, *squares = nullptr, *base_most = nullptr;
    Index cols = 0;

    /// How long a row within this distance of the frame may be listed.
    [[nodiscard]] __device__ double farthest(Index query, double distance) const {
        if (errors == nullptr) return distance;
        return farthest_halves(distance + static_cast<double>(errors[query]), static_cast<double>(squares[query]),
                               static_cast<double>(base_most[0]), cols);
    }
};

struct Task {
    RankTask of;
    Halves halves;
    ListsView lists;
    const float* distances;
    Index wanted;
    double* keys;
    Index* items;
    std::uint8_t* left;
};

/// A list and whose it is.
struct Query {
    Index list, row;
};

/// Measures entries [begin, end); the query itself is infinitely far, and so is what the base does not hold.
__device__ void measure(const Task& task, Query query, const Entry* entries, int begin, int end, Ranked* ranked) {
    for (int i = begin + static_cast<int>(threadIdx.x / 32); i < end; i += threads / 32) {
        const ItemRows& base = task.of.base;
        const Index named = item_of(entries[i]), row = base.row_of == nullptr ? named : base.row_of[named],
                    item = base.row_of == nullptr ? base.item(named) : named;
        const bool none = row < 0 || item == task.of.queries.item(query.row);
        const double key = none ? INFINITY : warp_key(task.of.queries.rows, query.row, base.rows, row);
        if (threadIdx.x % 32 == 0) ranked[i] = none ? Ranked{key, INT_MAX, INT_MAX} : Ranked{key, item, base.id(item)};
    }
    __syncthreads();
}

__device__ double block_most(double value) {
    __shared__ double parts[threads / 32];
    for (int lanes = 16; lanes > 0; lanes /= 2) value = fmax(value, __shfl_xor_sync(~0U, value, lanes));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (const double part : parts) value = fmax(value, part);
    __syncthreads();
    return value;
}

/// What lengths measure of a key of this row of the queries, rounded up.
__device__ double distance_of(const Task& task, Index row, double key) {
    const Measure& measure = task.of.measure;
    if (task.of.base.rows.sum == Sum::products) {
        return 1 + key * task.of.queries.rows.scale[row] * *task.of.base.rows.least_scale + 1e-7;
    }
    return (measure.absolute ? key : sqrt(key)) * measure.scale * (1 + 1e-7);
}

/// How many of the sorted entries may be as near as the farthest of the first `count`, which are measured.
__device__ int count_near(const Task& task, Query query, const Entry* sorted, int listed, int count,
                          const Ranked* ranked) {
    double most = -INFINITY;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
        if (ranked[i].item != INT_MAX) most = fmax(most, ranked[i].key);
    }
    const double distance = distance_of(task, query.row, block_most(most)) + task.of.measure.error;
    const double within = task.halves.farthest(query.list, distance);
    int near = 0;
    for (int i = count + static_cast<int>(threadIdx.x); i < listed; i += threads) {
        const auto length = static_cast<double>(length_of(sorted[i]));
        if ((task.of.measure.absolute ? length : sqrt(length)) <= within) near = i + 1;
    }
    return max(count, static_cast<int>(block_most(near)));
}

/// Sorts what was measured and what was known; false if they are too many, or too few.
__device__ bool sort_ranked(const Task& task, Query query, int measured, Ranked* ranked) {
    const int known = task.of.merge ? task.wanted : 0, padded = power_of_two(measured + known);
    if (padded > task.lists.capacity || measured + known < task.wanted) return false;
    const Offset row = Offset{query.row} * task.wanted;
    for (int i = measured + static_cast<int>(threadIdx.x); i < padded; i += threads) {
        const int k = i - measured;
        const Index item = k < known ? task.items[row + k] : INT_MAX;
        ranked[i] = item == INT_MAX ? Ranked{INFINITY, INT_MAX, INT_MAX}
                                    : Ranked{task.keys[row + k], item, task.of.base.id(item)};
    }
    __syncthreads();
    sort_block(ranked, padded);
    return true;
}

/// Ranks a query, by a block; false if rows may be missing.
__device__ bool rank_query(const Task& task, Query query, int listed, Entry* sorted, Ranked* ranked) {
    if (task.of.listed_only && listed + task.wanted > task.lists.capacity) return false;  // merging or not
    const int padded = power_of_two(listed);
    const Entry* list = task.lists.entries + Offset{query.list} * task.lists.capacity;
    for (int i = static_cast<int>(threadIdx.x); i < padded; i += threads) {
        sorted[i] = i < listed ? list[i] : no_entry;
    }
    __syncthreads();
    if (!task.of.listed_only) sort_block(sorted, padded);

    // The first ones tell how far the others can be
    const int first = task.of.listed_only ? listed : min(listed, task.wanted + 1);
    measure(task, query, sorted, 0, first, ranked);
    const int near = first < listed ? count_near(task, query, sorted, listed, first, ranked) : listed;
    measure(task, query, sorted, first, near, ranked);
    if (!sort_ranked(task, query, near, ranked)) return false;

    // Whatever is as near as the distance looked up to has been listed
    const Ranked last = ranked[task.wanted - 1];
    const auto within = static_cast<double>(task.distances[query.list]);
    const bool settled =
        last.item != INT_MAX && (task.of.listed_only || distance_of(task, query.row, last.key) <= within);
    if (!settled && !task.of.listed_only) return false;
    for (int i = static_cast<int>(threadIdx.x); i < task.wanted; i += threads) {
        task.keys[Offset{query.row} * task.wanted + i] = ranked[i].key;
        task.items[Offset{query.row} * task.wanted + i] = ranked[i].item;
    }
    return settled;
}

__global__ void rank_kernel(Task task) {
    extern __shared__ Ranked ranked[];
    auto* sorted = reinterpret_cast<Entry*>(ranked + task.lists.capacity);
    const auto turn = static_cast<Index>(blockIdx.x), list = task.of.order == nullptr ? turn : task.of.order[turn];
    const Query query{list, task.of.which == nullptr ? list : task.of.which[list]};
    const int listed = task.lists.counts[list];
    const bool settled =
        query.row < 0 || (listed <= task.lists.capacity && rank_query(task, query, listed, sorted, ranked));
    if (threadIdx.x == 0) task.left[list] = settled ? 0 : 1;
}

}  // namespace

std::vector<Index> those_left(device::Cuda& cuda, const device::CudaBuffer<std::uint8_t>& left,
                              std::span<const Index> asked) {
    std::vector<std::uint8_t> marks(asked.size());
    cuda.copy_out(marks.data(), left.data(), marks.size());
    std::vector<Index> those;
    for (std::size_t q = 0; q < asked.size(); ++q) {
        if (marks[q] != 0) those.push_back(asked[q]);
    }
    return those;
}

bool can_rank(const device::Cuda& cuda, int capacity) {
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    return static_cast<std::size_t>(capacity) * bytes_per_entry <= static_cast<std::size_t>(most);
}

void rank(device::Cuda& cuda, const RankTask& ranking, const CandidateLists& lists, const Reach& reach,
          Nearest& nearest, device::CudaBuffer<std::uint8_t>& left) {
    Task task{
        ranking,    {}, lists.view(), reach.distances.data(), nearest.wanted, nearest.keys.data(), nearest.items.data(),
        left.data()};
    if (ranking.half_queries != nullptr) {
        task.halves = {ranking.half_queries->errors.data(), ranking.half_queries->squares.data(),
                       ranking.half_base->most.data(), ranking.half_queries->cols};
    }
    const std::size_t shared = static_cast<std::size_t>(lists.capacity) * bytes_per_entry;
    device::cuda_check(
        cudaFuncSetAttribute(rank_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    rank_kernel<<<static_cast<unsigned>(ranking.count), threads, shared, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
