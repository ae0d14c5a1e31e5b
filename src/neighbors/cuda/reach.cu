// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "neighbors/cuda/reach.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int most_per_thread = 32, few_per_thread = 8;

/// The sum over the block, in every thread.
__device__ int block_total(int value) {
    __shared__ int parts[32];
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    if (blockDim.x == 32) return value;
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    int total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += parts[w];
    __syncthreads();
    return total;
}

/// A list, distributed over the threads of a block, padded by the greatest entry.
template <int PerThread>
struct DistributedList {
    Entry entries[PerThread];

    __device__ DistributedList(const Entry* list, int count) {
#pragma unroll
        for (int i = 0; i < PerThread; ++i) {
            const int place = i * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
            entries[i] = place < count ? list[place] : no_entry;
        }
    }

    /// Number of entries, in every thread.
    [[nodiscard]] __device__ int count() const {
        int there = 0;
#pragma unroll
        for (int i = 0; i < PerThread; ++i) there += entries[i] != no_entry ? 1 : 0;
        return block_total(there);
    }

    /// The rank-th length, rounded up by at most 2^-16 of it: bisection from the highest bit.
    [[nodiscard]] __device__ float at_rank(int rank) const {
        unsigned least = 0;
        for (unsigned bit = 1U << 30; bit >= 1U << 7; bit >>= 1) {
            int below = 0;
#pragma unroll
            for (int i = 0; i < PerThread; ++i) {
                below += static_cast<unsigned>(entries[i] >> 32) < least + bit ? 1 : 0;
            }
            if (block_total(below) < rank) least += bit;
        }
        return __uint_as_float(least | 0x7f);
    }

    /// The least entry, in every thread.
    [[nodiscard]] __device__ Entry least() const {
        __shared__ Entry parts[32];
        Entry least = entries[0];
#pragma unroll
        for (int i = 1; i < PerThread; ++i) least = min(least, entries[i]);
        for (int lanes = 16; lanes > 0; lanes /= 2) least = min(least, __shfl_xor_sync(~0U, least, lanes));
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = least;
        __syncthreads();
        for (unsigned w = 0; w < blockDim.x / 32; ++w) least = min(least, parts[w]);
        return least;
    }

    /// Writes the entries with lengths up to `longest` to the list, in any order. Returns their number in every thread.
    __device__ int keep(float longest, Entry* list) const {
        __shared__ int kept;
        if (threadIdx.x == 0) kept = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PerThread; ++i) {
            const bool stays = static_cast<unsigned>(entries[i] >> 32) <= __float_as_uint(longest);
            const unsigned staying = __ballot_sync(~0U, stays);
            if (staying == 0) continue;
            int place = 0;
            if (threadIdx.x % 32 == 0) place = atomicAdd(&kept, __popc(staying));
            place = __shfl_sync(~0U, place, 0) + __popc(staying & ((1U << threadIdx.x % 32) - 1));
            if (stays) list[place] = entries[i];
        }
        __syncthreads();
        return kept;
    }
};

/// Search radii of rows in half precision.
struct Halves {
    const float* base_most;  ///< the base's largest error and largest squared norm
    __half* values;
    const float *errors, *squares;
    Index width, cols;
    double slack;
    bool surely;  ///< radii are upper bounds of true distances, except for rows clamped to the rim of the frame

    [[nodiscard]] __device__ __half* tail(Index query) const { return values + Offset{query} * width + cols; }

    /// The distance expected of a row with this length: without the slack, and with rounding errors orthogonal to the
    /// difference; with `surely`, an upper bound, with rounding errors along it.
    [[nodiscard]] __device__ double distance(Index query, float length, float limit) const {
        const double square = static_cast<double>(squares[query]), error = static_cast<double>(errors[query]);
        const double reach = isinf(limit) ? 0.0 : static_cast<double>(limit);
        const double other = sqrt(square) + sqrt(static_cast<double>(length));  // at least |y|
        const double longer = static_cast<double>(length) + 2 * slack * (square + other * other + reach * reach);
        if (!surely) return sqrt(longer + 2 * error * error);
        return sqrt(longer) + error + farthest_moved(sqrt(longer), square, static_cast<double>(base_most[0]), cols);
    }
    /// Sets the query's search radius, up to the largest possible.
    __device__ void set(Index query, double wanted, float& distance, float& limit) const {
        const double error = static_cast<double>(errors[query]);
        distance = __double2float_rd(fmin(wanted, static_cast<double>(farthest_reach) - error));
        limit =
            set_reach(tail(query), static_cast<double>(distance) + error, static_cast<double>(squares[query]), slack);
    }
    __device__ void stop(Index query) const { split_in_three(never, tail(query) + 4); }
    /// Largest length with which a row within the search radius can be listed.
    [[nodiscard]] __device__ float longest(Index query, float limit) const {
        const double most = farthest_halves(static_cast<double>(limit), static_cast<double>(squares[query]),
                                            static_cast<double>(base_most[0]), cols);
        return __double2float_ru(most * most);
    }
};

/// Search radii of float32 differences.
struct Differences {
    Measure measure;

    [[nodiscard]] __device__ double distance(Index, float length, float) const {
        const double longer = static_cast<double>(length) * (1 + 2 * measure.shortened);
        return (measure.absolute ? longer : sqrt(longer)) + measure.error;
    }
    __device__ void set(Index, double wanted, float& distance, float& limit) const {
        distance = __double2float_rd(fmin(wanted, 3e38));
        const double most = (static_cast<double>(distance) + measure.error) * (1 + 1e-7);
        limit = __double2float_ru(measure.absolute ? most : most * most);
    }
    __device__ void stop(Index) const {}
    [[nodiscard]] __device__ float longest(Index, float limit) const { return limit; }
};

/// Queries, their lists and thresholds.
template <class Kind>
struct ThresholdTask {
    Kind kind;
    Index rank;
    ListsView lists;
    float *distances, *limits;
    Index* nearest;
    std::uint8_t* restart;

    /// Updates the threshold of a query with `count` entries. For the whole block.
    template <int PerThread>
    __device__ void tighten(Index query, int count) const {
        __shared__ float longest;
        Entry* list = lists.entries + Offset{query} * lists.capacity;
        const DistributedList<PerThread> distributed(list, count);
        if (nearest != nullptr) {
            const Index row = item_of(distributed.least());
            if (threadIdx.x == 0) nearest[query] = row;
        }
        const bool enough = distributed.count() >= rank;
        const float length = enough ? distributed.at_rank(rank) : 0.0F;
        if (threadIdx.x == 0) {
            float distance = distances[query], limit = limits[query];
            double wanted = static_cast<double>(distance);
            if (enough) wanted = fmin(wanted, kind.distance(query, length, limit));
            kind.set(query, wanted, distance, limit);
            distances[query] = distance;
            limits[query] = limit;
            longest = kind.longest(query, limit);
        }
        __syncthreads();
        const int kept = distributed.keep(longest, list);
        if (threadIdx.x != 0) return;
        lists.counts[query] = count > lists.capacity ? 0 : kept;
        if (count > lists.capacity) restart[query] = 1;
    }
};

/// Block q updates query q.
template <class Kind>
__global__ void tighten_kernel(ThresholdTask<Kind> task) {
    const auto query = static_cast<Index>(blockIdx.x);
    const int count = min(task.lists.counts[query], task.restart == nullptr ? no_query : task.lists.capacity + 1);
    if (count > task.lists.capacity && (task.restart == nullptr || task.lists.counts[query] >= no_query)) {
        if (threadIdx.x == 0) {
            task.kind.stop(query);
            task.limits[query] = -1;
        }
    } else if (count <= few_per_thread * static_cast<int>(blockDim.x)) {
        task.template tighten<few_per_thread>(query, count);
    } else {
        task.template tighten<most_per_thread>(query, count);
    }
}

template <class Kind>
void run(device::Cuda& cuda, Index queries, const Kind& kind, Index rank, CandidateLists& lists, Reach& reach,
         Index* nearest, std::uint8_t* restart) {
    const int threads = lists.capacity / most_per_thread;
    tighten_kernel<<<static_cast<unsigned>(queries), static_cast<unsigned>(threads), 0, cuda.stream()>>>(
        ThresholdTask<Kind>{kind, rank, lists.view(), reach.distances.data(), reach.limits.data(), nearest, restart});
    device::cuda_check(cudaGetLastError());
}

Halves halves_of(FilterRows& queries, const float* base_most, bool surely) {
    return {base_most,     queries.values.data(), queries.errors.data(), queries.squares.data(),
            queries.width, queries.cols,          queries.slack,         surely};
}

/// Block t handles the queries of tile t.
__global__ void restart_kernel(Halves halves, Index queries, ListsView lists, std::uint8_t* restart, Index* visits,
                               Index* marked) {
    const Index query = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    const bool begins = query < queries && restart[query] != 0;
    if (begins) {
        lists.counts[query] = 0;
        restart[query] = 0;
    } else if (query < queries) {
        halves.stop(query);
    }
    const int all = __syncthreads_count(begins ? 1 : 0);
    if (threadIdx.x != 0) return;
    if (all == 0) visits[blockIdx.x] = 0;
    if (all > 0) atomicAdd(marked, all);
}

}  // namespace

Index restart_queries(device::Cuda& cuda, FilterRows& queries, CandidateLists& lists,
                      device::CudaBuffer<std::uint8_t>& restart, device::CudaBuffer<Index>& counts) {
    device::CudaCell<Index> marked;
    cuda.set(marked, Index{0});
    restart_kernel<<<static_cast<unsigned>(queries.padded / query_tile), query_tile, 0, cuda.stream()>>>(
        halves_of(queries, nullptr, false), queries.count, lists.view(), restart.data(), counts.data(),
        cuda.address(marked));
    device::cuda_check(cudaGetLastError());
    return cuda.read(marked);
}

void reset(device::Cuda& cuda, Index queries, Reach& reach) {
    cuda.fill(reach.distances, static_cast<std::size_t>(queries), std::numeric_limits<float>::infinity());
    cuda.fill(reach.limits, static_cast<std::size_t>(queries), std::numeric_limits<float>::infinity());
}

void tighten(device::Cuda& cuda, Index rank, const FilterRows& base, FilterRows& queries, CandidateLists& lists,
             Reach& reach, Index* nearest, std::uint8_t* restart) {
    run(cuda, queries.count, halves_of(queries, base.most.data(), restart != nullptr), rank, lists, reach, nearest,
        restart);
}

void tighten_differences(device::Cuda& cuda, Index queries, Index rank, const Measure& measure, CandidateLists& lists,
                         Reach& reach) {
    run(cuda, queries, Differences{measure}, rank, lists, reach, nullptr, nullptr);
}

}  // namespace dunlin::neighbors
