// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/refine.cuh"
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

/// Errors of rows in half precision, if lengths are of these.
struct Halves {
    const float *errors = nullptr, *squares = nullptr, *base_most = nullptr;
    Index cols = 0;

    /// Largest length with which a row within this distance can be listed.
    [[nodiscard]] __device__ double farthest(Index query, double distance) const {
        if (errors == nullptr) return distance;
        return farthest_halves(distance + static_cast<double>(errors[query]), static_cast<double>(squares[query]),
                               static_cast<double>(base_most[0]), cols);
    }
};

struct RefineKernelTask {
    RefineTask of;
    Halves halves;
    ListsView lists;
    const float* distances;
    Index wanted;
    double* keys;
    Index* items;
    std::uint8_t* unsettled;
};

/// A list, and the row of its query.
struct Query {
    Index list, row;
};

/// Measures entries [begin, end). The query itself, and rows that are not in the base, get an infinite key.
__device__ void measure(const RefineKernelTask& task, Query query, const Entry* entries, int begin, int end,
                        Ranked* ranked) {
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

/// The distance, in the unit of the lengths, of a key of this query; rounded up.
__device__ double distance_of(const RefineKernelTask& task, Index row, double key) {
    const Measure& measure = task.of.measure;
    if (task.of.base.rows.sum == KeyTerm::products) {
        return 1 + key * task.of.queries.rows.scale[row] * *task.of.base.rows.least_scale + 1e-7;
    }
    return (measure.absolute ? key : sqrt(key)) * measure.scale * (1 + 1e-7);
}

/// Number of sorted entries that may be as near as the farthest of the first `count`, which have been measured.
__device__ int count_near(const RefineKernelTask& task, Query query, const Entry* sorted, int listed, int count,
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

/// Sorts the measured and the known candidates; false if they are too many or too few.
__device__ bool sort_ranked(const RefineKernelTask& task, Query query, int measured, Ranked* ranked) {
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

/// Refines a query, by a block; false if neighbors may be missing.
__device__ bool refine_query(const RefineKernelTask& task, Query query, int listed, Entry* sorted, Ranked* ranked) {
    if (task.of.listed_only && listed + task.wanted > task.lists.capacity) return false;  // with or without merging
    const int padded = power_of_two(listed);
    const Entry* list = task.lists.entries + Offset{query.list} * task.lists.capacity;
    for (int i = static_cast<int>(threadIdx.x); i < padded; i += threads) {
        sorted[i] = i < listed ? list[i] : no_entry;
    }
    __syncthreads();
    if (!task.of.listed_only) sort_block(sorted, padded);

    // The keys of the first entries bound the lengths of all that must be measured
    const int first = task.of.listed_only ? listed : min(listed, task.wanted + 1);
    measure(task, query, sorted, 0, first, ranked);
    const int near = first < listed ? count_near(task, query, sorted, listed, first, ranked) : listed;
    measure(task, query, sorted, first, near, ranked);
    if (!sort_ranked(task, query, near, ranked)) return false;

    // Every row within the search radius has been listed
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

__global__ void refine_kernel(RefineKernelTask task) {
    extern __shared__ Ranked ranked[];
    auto* sorted = reinterpret_cast<Entry*>(ranked + task.lists.capacity);
    const auto turn = static_cast<Index>(blockIdx.x), list = task.of.order == nullptr ? turn : task.of.order[turn];
    const Query query{list, task.of.which == nullptr ? list : task.of.which[list]};
    const int listed = task.lists.counts[list];
    const bool settled =
        query.row < 0 || (listed <= task.lists.capacity && refine_query(task, query, listed, sorted, ranked));
    if (threadIdx.x == 0) task.unsettled[list] = settled ? 0 : 1;
}

}  // namespace

std::vector<Index> unsettled_queries(device::Cuda& cuda, const device::CudaBuffer<std::uint8_t>& unsettled,
                                     std::span<const Index> list_rows) {
    std::vector<std::uint8_t> marks(list_rows.size());
    cuda.copy_out(marks.data(), unsettled.data(), marks.size());
    std::vector<Index> those;
    for (std::size_t q = 0; q < list_rows.size(); ++q) {
        if (marks[q] != 0) those.push_back(list_rows[q]);
    }
    return those;
}

bool can_refine(const device::Cuda& cuda, int capacity) {
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    return static_cast<std::size_t>(capacity) * bytes_per_entry <= static_cast<std::size_t>(most);
}

void refine(device::Cuda& cuda, const RefineTask& refinement, const CandidateLists& lists, const Reach& reach,
            NearestLists& nearest, device::CudaBuffer<std::uint8_t>& unsettled) {
    RefineKernelTask task{refinement,           {},
                          lists.view(),         reach.distances.data(),
                          nearest.wanted,       nearest.keys.data(),
                          nearest.items.data(), unsettled.data()};
    if (refinement.half_queries != nullptr) {
        task.halves = {refinement.half_queries->errors.data(), refinement.half_queries->squares.data(),
                       refinement.half_base->most.data(), refinement.half_queries->cols};
    }
    const std::size_t shared = static_cast<std::size_t>(lists.capacity) * bytes_per_entry;
    device::cuda_check(
        cudaFuncSetAttribute(refine_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    refine_kernel<<<static_cast<unsigned>(refinement.count), threads, shared, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
