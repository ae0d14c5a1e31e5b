// SPDX-License-Identifier: Apache-2.0
#include "scores/spearman.cuh"

#include <cub/device/device_scan.cuh>

#include "math/at.hpp"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"
#include "scores/map_distance.hpp"
#include "scores/rank_keys.cuh"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Floats and doubles of at least 0 are ordered like their bits.
struct WriteDistances {
    const float* table;
    Offset stride;
    std::uint32_t* keys;
    __device__ void operator()(Index i, Index j) const {
        if (j < i) keys[number_of_pair(i, j)] = __float_as_uint(table[i * stride + j]);
    }
};

struct WriteSquares {
    const float* map;  ///< of the rows alone
    int dim;
    std::uint64_t* keys;
    __device__ void operator()(Index i, Index j) const {
        if (j >= i) return;
        const double square = squared_distance(map + Offset{i} * dim, map + Offset{j} * dim, dim);
        keys[number_of_pair(i, j)] = static_cast<std::uint64_t>(__double_as_longlong(square));
    }
};

/// PairRanks (spearman.hpp) in device memory.
struct DevicePairRanks {
    CudaBuffer<Index> order, rank, equals;
};

/// First place in [low, high) whose key is not less than `key` (or_equal: is greater); high: none is.
template <class Key>
__device__ Index place_beyond(const Key* keys, Index low, Index high, Key key, bool or_equal) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (keys[middle] < key || (or_equal && keys[middle] == key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

template <class Key>
struct RankPlaces {
    const Key* keys;  ///< sorted
    const Index* order;
    Index count;
    Index *rank, *equals;
    __device__ void operator()(Offset p) const {
        const auto place = static_cast<Index>(p);
        const Key key = keys[place];
        Index first = place, last = place + 1;  // most values have no equal
        if (first > 0 && keys[first - 1] == key) first = place_beyond(keys, 0, first, key, false);
        if (last < count && keys[last] == key) last = place_beyond(keys, last, count, key, true);
        rank[order[place]] = first + last - count;
        equals[order[place]] = last - first;
    }
};

/// Sorts the keys of all pairs by bits [0, bits).
template <class Key>
DevicePairRanks ranks_of(Cuda& cuda, CudaBuffer<Key>& keys, int bits) {
    DevicePairRanks ranks;
    const auto count = static_cast<Index>(keys.size());
    numerics::count_up(cuda, count, ranks.order);
    numerics::sort_pairs(cuda, keys, ranks.order, 0, bits);
    for (auto* buffer : {&ranks.rank, &ranks.equals}) cuda.resize(*buffer, keys.size());
    cuda.each(count, RankPlaces<Key>{keys.data(), ranks.order.data(), count, ranks.rank.data(), ranks.equals.data()});
    return ranks;
}

/// The ranks of the other side in this side's order, and 0 after the last.
struct GatherRanks {
    const Index *order, *rank;
    Offset count;
    std::int64_t* gathered;
    __device__ void operator()(Offset p) const { gathered[p] = p < count ? rank[order[p]] : 0; }
};

/// PairRanks::above from the sums of the other ranks before each place; places follow from a rank and its equals.
struct WriteAbove {
    const Index *rank, *equals;
    Index count;
    const std::int64_t* sum_before;
    std::int64_t* above;
    __device__ void operator()(Offset pair) const {
        const Offset both = Offset{rank[pair]} + count, first = (both - equals[pair]) / 2, last = both - first;
        above[pair] = -(sum_before[first] + sum_before[last]);
    }
};

CudaBuffer<std::int64_t> above_of(Cuda& cuda, const DevicePairRanks& side, const DevicePairRanks& other) {
    const auto count = static_cast<Offset>(side.order.size());
    CudaBuffer<std::int64_t> sums(at(count + 1), cuda.stream()), above(at(count), cuda.stream());
    cuda.each(count + 1, GatherRanks{side.order.data(), other.rank.data(), count, sums.data()});
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, sums.data(), sums.data(), count + 1, cuda.stream());
    });
    cuda.each(count,
              WriteAbove{side.rank.data(), side.equals.data(), static_cast<Index>(count), sums.data(), above.data()});
    return above;
}

struct SumTask {
    const Index *rank_x, *equals_x, *rank_y, *equals_y;
    const std::int64_t *above_x, *above_y;
    Index m;
    unsigned long long* sums;  ///< the members of RankSums, per item; 0 before. Two's complement: of any sign
};

constexpr int members = 4;

/// Block i: the pairs of item i.
__global__ void rank_sums_kernel(SumTask task) {
    const auto i = static_cast<Index>(blockIdx.x);
    long long sums[members] = {};
    for (auto j = static_cast<Index>(threadIdx.x); j < task.m; j += static_cast<Index>(blockDim.x)) {
        if (j == i) continue;
        const Offset pair = number_of_pair(max(i, j), min(i, j));
        const long long equals_x = task.equals_x[pair], equals_y = task.equals_y[pair];
        sums[0] += static_cast<long long>(task.rank_x[pair]) * task.rank_y[pair];
        sums[1] += task.above_x[pair] + task.above_y[pair];
        sums[2] += equals_x * equals_x;
        sums[3] += equals_y * equals_y;
    }
#pragma unroll
    for (int k = 0; k < members; ++k) {
        for (int lanes = 16; lanes > 0; lanes /= 2) sums[k] += __shfl_xor_sync(~0U, sums[k], lanes);
        if (threadIdx.x % 32 == 0) atomicAdd(task.sums + members * i + k, static_cast<unsigned long long>(sums[k]));
    }
}

std::vector<RankSums> sums_of(Cuda& cuda, const DevicePairRanks& x, const DevicePairRanks& y, Index m) {
    const CudaBuffer<std::int64_t> above_x = above_of(cuda, x, y), above_y = above_of(cuda, y, x);
    CudaBuffer<unsigned long long> sums;
    cuda.fill(sums, at(m) * members, 0ULL);
    rank_sums_kernel<<<static_cast<unsigned>(m), 128, 0, cuda.stream()>>>(
        {x.rank.data(), x.equals.data(), y.rank.data(), y.equals.data(), above_x.data(), above_y.data(), m,
         sums.data()});
    device::cuda_check(cudaGetLastError());
    const std::vector<unsigned long long> found = cuda.host(sums);
    std::vector<RankSums> items(at(m));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto member = [&](std::size_t k) { return static_cast<std::int64_t>(found[members * i + k]); };
        items[i] = {member(0), member(1), member(2), member(3)};
    }
    return items;
}

/// The rows of a map alone.
CudaBuffer<float> upload_rows(Cuda& cuda, const Map& map, std::span<const Index> rows) {
    std::vector<float> some;
    some.reserve(rows.size() * at(map.dim));
    for (const Index row : rows) {
        const auto place = map.view().row(row);
        some.insert(some.end(), place.begin(), place.end());
    }
    CudaBuffer<float> uploaded;
    cuda.upload(uploaded, some);
    return uploaded;
}

}  // namespace

std::vector<std::vector<RankSums>> rank_sums(Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                                             std::span<const Index> rows) {
    const auto m = static_cast<Index>(rows.size());
    const auto pairs = at(number_of_pair(m, 0));
    DevicePairRanks x;
    {
        const CudaBuffer<float> table = distances.table_of(rows);
        CudaBuffer<std::uint32_t> keys(pairs, cuda.stream());
        each_of_rows(cuda, m, m, WriteDistances{table.data(), padded_stride(m), keys.data()});
        x = ranks_of(cuda, keys, RankKey::distance_bits);
    }
    std::vector<std::vector<RankSums>> sums;
    for (const Map& map : maps) {
        progress::cancellation_point();
        const CudaBuffer<float> places = upload_rows(cuda, map, rows);
        CudaBuffer<std::uint64_t> keys(pairs, cuda.stream());
        each_of_rows(cuda, m, m, WriteSquares{places.data(), map.dim, keys.data()});
        const DevicePairRanks y = ranks_of(cuda, keys, 63);
        sums.push_back(sums_of(cuda, x, y, m));
    }
    return sums;
}

}  // namespace dunlin::scores
