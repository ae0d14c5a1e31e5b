// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "communities/cuda/lists.cuh"
#include "math/at.hpp"
#include "math/search.hpp"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

using device::CudaBuffer;

/// For row_sums_kernel: the edges of a vertex to other parts.
struct IsCrossing {
    const Index* targets;
    const Index* part;
    __device__ Weight operator()(Index v, Offset e) const { return part[targets[e]] != part[v] ? 1 : 0; }
};
struct SetCount {
    Offset* counts;
    __device__ void operator()(Index v, Weight count) const { counts[v] = count; }
};

/// Edges between parts: both parts in a key, the first in the upper bits.
struct Crossing {
    LevelView level;
    const Index* part;
    const Offset* places;  ///< of the edges of a vertex
    int bits;              ///< of a part
    std::uint64_t* keys;
    Weight* weights;
};

/// The edges of the vertices of one kind.
template <int Kind>
__global__ void __launch_bounds__(block_of<Kind>) crossing_kernel(Crossing to, const Index* vertices, Offset count) {
    with_groups<Kind>(vertices, count, [&](auto group, Index v) {
        using Threads = decltype(group);
        const LevelView& level = to.level;
        __shared__ unsigned in_block;
        if constexpr (Threads::is_block) {
            if (threadIdx.x == 0) in_block = 0;
            __syncthreads();
        }
        const auto own = static_cast<std::uint64_t>(to.part[v]) << to.bits;
        const unsigned lane = threadIdx.x % 32, before = (1U << lane) - 1;
        Offset place = to.places[v];
        const Offset end = level.offsets[v + 1];
        for (Offset first = level.offsets[v]; first < end; first += Threads::size) {
            const Offset e = first + Threads::rank();
            const Index other = e < end ? to.part[level.targets[e]] : -1;
            const bool crosses = e < end && other != to.part[v];
            const unsigned all = __ballot_sync(Threads::mask(), crosses) & Threads::mask();
            Offset begin = place;
            if constexpr (Threads::is_block) {
                unsigned of_warp = 0;
                if (lane == 0) of_warp = atomicAdd(&in_block, static_cast<unsigned>(__popc(all)));
                begin += __shfl_sync(~0U, of_warp, 0);
            } else {
                place += __popc(all);
            }
            if (!crosses) continue;
            const Offset at = begin + __popc(all & before);
            to.keys[at] = own | static_cast<std::uint64_t>(other);
            to.weights[at] = level.weights[e];
        }
    });
}

struct AddMass {
    const Index* part;
    const Weight* from;
    Weight* to;
    __device__ void operator()(Offset v) const {
        atomicAdd(reinterpret_cast<unsigned long long*>(to + part[v]), static_cast<unsigned long long>(from[v]));
    }
};

/// Begin of a row: the first key that is not below it.
struct FindRow {
    const std::uint64_t* keys;
    Offset count;
    int bits;
    Offset* offsets;
    __device__ void operator()(Offset row) const { offsets[row] = math::first_at_least(keys, count, bits, row); }
};
struct SetEdge {
    const std::uint64_t* keys;
    const Weight* sums;
    int bits;
    Index* targets;
    Weight* weights;
    __device__ void operator()(Offset e) const {
        targets[e] = static_cast<Index>(keys[e] & ((std::uint64_t{1} << bits) - 1));
        weights[e] = sums[e];
    }
};

struct MeasureHubs {
    const Offset* offsets;
    unsigned long long* found;  ///< hubs, the largest degree
    __device__ void operator()(Offset v) const {
        const Offset degree = offsets[v + 1] - offsets[v];
        if (kind_of(degree) != hub_kind) return;
        atomicAdd(found, 1ULL);
        atomicMax(found + 1, static_cast<unsigned long long>(degree));
    }
};

/// Keys and weights of the edges between parts, in memory that is used twice by the sort.
struct PartPairs {
    CudaBuffer<std::uint64_t> keys, spare_keys;
    CudaBuffer<Weight> weights, spare_weights;

    PartPairs(std::size_t count, cudaStream_t stream)
        : keys(count, stream), spare_keys(count, stream), weights(count, stream), spare_weights(count, stream) {}
};

void sort(device::Cuda& cuda, PartPairs& pairs, int bits) {
    cub::DoubleBuffer<std::uint64_t> keys(pairs.keys.data(), pairs.spare_keys.data());
    cub::DoubleBuffer<Weight> weights(pairs.weights.data(), pairs.spare_weights.data());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, weights, static_cast<Offset>(pairs.keys.size()), 0,
                                               bits, cuda.stream());
    });
    if (keys.Current() != pairs.keys.data()) pairs.keys.swap(pairs.spare_keys);
    if (weights.Current() != pairs.weights.data()) pairs.weights.swap(pairs.spare_weights);
}

/// Adds equal pairs, which are one after the other, in the spare memory. Returns how many are left.
Offset merge(device::Cuda& cuda, PartPairs& pairs) {
    device::CudaCell<Offset> count;
    Offset* const to = cuda.address(count);
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(scratch, bytes, pairs.keys.data(), pairs.spare_keys.data(),
                                              pairs.weights.data(), pairs.spare_weights.data(), to, cuda::std::plus<>{},
                                              static_cast<Offset>(pairs.keys.size()), cuda.stream());
    });
    return cuda.read(count);
}

}  // namespace

void finish_level(device::Cuda& cuda, CudaLevel& level) {
    CudaBuffer<unsigned long long> found;
    cuda.fill(found, 2, 0ULL);
    cuda.each(level.size(), MeasureHubs{level.offsets.data(), found.data()});
    const std::vector<unsigned long long> hubs = cuda.host(found);
    level.hubs = static_cast<Offset>(hubs[0]);
    level.most_degree = static_cast<Offset>(hubs[1]);
    list_rows(cuda, level);
}

const CudaLevel& CudaCommunityEngine::aggregate(const Level& level, const Labels& part, Index parts) {
    const auto n = static_cast<std::size_t>(level.size());
    CudaLevel& next = levels_[&level == &levels_[0] ? 1 : 0];
    cuda_.fill(next.masses, at(parts), Weight{0});
    cuda_.each(level.size(), AddMass{part.data(), level.masses.data(), next.masses.data()});

    CudaBuffer<Offset> places;
    cuda_.fill(places, n + 1, Offset{0});
    each_row(cuda_, level.view(), level.rows, 0, IsCrossing{level.targets.data(), part.data()},
             SetCount{places.data()});
    device::with_scratch(cuda_, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, places.data(), places.data(), static_cast<Offset>(n + 1),
                                             cuda_.stream());
    });
    Offset count = 0;
    cuda_.copy_out(&count, places.data() + n, sizeof count);
    progress::cancellation_point();

    const int bits = std::bit_width(static_cast<std::uint32_t>(std::max(parts, 1)));
    PartPairs pairs(at(count), cuda_.stream());
    const Crossing crossing{level.view(), part.data(), places.data(), bits, pairs.keys.data(), pairs.weights.data()};
    each_kind(level.rows, 0, [&](auto kind, const Index* vertices, Offset of_kind) {
        constexpr int k = decltype(kind)::value;
        crossing_kernel<k><<<blocks_of<k>(of_kind), block_of<k>, 0, cuda_.stream()>>>(crossing, vertices, of_kind);
    });
    Offset kept = 0;
    if (count > 0) {
        sort(cuda_, pairs, 2 * bits);
        kept = merge(cuda_, pairs);
    }
    cuda_.resize(next.offsets, at(parts) + 1);
    cuda_.resize(next.targets, at(kept));
    cuda_.resize(next.weights, at(kept));
    cuda_.each(Offset{parts} + 1, FindRow{pairs.spare_keys.data(), kept, bits, next.offsets.data()});
    cuda_.each(kept, SetEdge{pairs.spare_keys.data(), pairs.spare_weights.data(), bits, next.targets.data(),
                             next.weights.data()});
    finish_level(cuda_, next);
    return next;
}

}  // namespace dunlin::communities
