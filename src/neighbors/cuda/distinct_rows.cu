// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_scan.cuh>

#include "math/rng.hpp"
#include "neighbors/cuda/distinct_rows.cuh"
#include "numerics/sort.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Bits by which values are compared; unit rows are compared up to 2^-40.
__device__ std::uint64_t bits(const DeviceRows& rows, Index r, Index c) {
    if (rows.scale == nullptr) {
        const float value = rows.row(r)[c];
        return __float_as_uint(value == 0 ? 0.0F : value);
    }
    return static_cast<std::uint64_t>(__double_as_longlong(round(rows.value(r, c) * 0x1p40) + 0.0));
}

struct Hash {
    DeviceRows rows;
    std::uint64_t* hashes;
    Index* order;

    __device__ void operator()(Offset r) const {
        const auto lane = threadIdx.x % 32;
        std::uint64_t hash = lane + 1;
        for (auto c = static_cast<Index>(lane); c < rows.cols; c += 32) {
            hash = ((hash << 29 | hash >> 35) ^ bits(rows, static_cast<Index>(r), c)) * math::golden;
        }
        hash = math::mix(hash + lane);
        for (int lanes = 16; lanes > 0; lanes /= 2) hash ^= __shfl_xor_sync(~0U, hash, lanes);
        if (lane != 0) return;
        hashes[r] = hash;
        order[r] = static_cast<Index>(r);
    }
};

/// begins[i] = i if the i-th row by hash differs from the previous one, else 0. Equal rows with a different row of the
/// same hash between them become two groups, which is harmless.
struct MarkBegins {
    DeviceRows rows;
    const std::uint64_t* hashes;
    const Index* order;
    Index* begins;
    Index* groups;

    __device__ void operator()(Offset i) const {
        bool same = i > 0 && hashes[i] == hashes[i - 1];
        if (same) {
            const Index a = order[i - 1], b = order[i];
            for (auto c = static_cast<Index>(threadIdx.x % 32); c < rows.cols; c += 32) {
                if (bits(rows, a, c) != bits(rows, b, c)) same = false;
            }
            same = __all_sync(~0U, same);
        }
        if (threadIdx.x % 32 != 0) return;
        begins[i] = same ? 0 : static_cast<Index>(i);
        if (!same) atomicAdd(groups, 1);
    }
};

struct Latest {
    __device__ Index operator()(Index a, Index b) const { return a > b ? a : b; }
};

struct SetLeader {
    const Index *order, *begins;
    Index* leader;
    __device__ void operator()(Offset i) const { leader[order[i]] = order[begins[i]]; }
};

struct MarkLeaders {
    const Index* leader;
    Index* marks;
    __device__ void operator()(Offset r) const { marks[r] = leader[r] == r ? 1 : 0; }
};

struct NameGroups {
    const Index *leader, *number;
    Index *group_of, *firsts;
    __device__ void operator()(Offset r) const {
        group_of[r] = number[leader[r]];
        if (leader[r] == r) firsts[number[r]] = static_cast<Index>(r);
    }
};

struct FillMembers {
    const Index* group_of;
    Index *keys, *members;
    __device__ void operator()(Offset r) const {
        keys[r] = group_of[r];
        members[r] = static_cast<Index>(r);
    }
};

struct FindOffsets {
    const Index* keys;
    Index count;
    Offset* offsets;
    __device__ void operator()(Offset i) const {
        if (i == 0 || keys[i] != keys[i - 1]) offsets[keys[i]] = i;
        if (i + 1 == count) offsets[keys[i] + 1] = count;
    }
};

/// Numbers the groups by their first members: from the `leader` of each row to the rank of that leader.
void number_groups(Cuda& cuda, Index count, const CudaBuffer<Index>& order, CudaBuffer<Index>& begins,
                   CudaDistinctRows& found) {
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(scratch, bytes, begins.data(), begins.data(), Latest{}, count,
                                              cuda.stream());
    });
    CudaBuffer<Index> leader(begins.size(), cuda.stream()), number(begins.size(), cuda.stream());
    cuda.each(count, SetLeader{order.data(), begins.data(), leader.data()});
    cuda.each(count, MarkLeaders{leader.data(), number.data()});
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, number.data(), number.data(), count, cuda.stream());
    });
    cuda.resize(found.group_of, begins.size());
    cuda.resize(found.firsts, static_cast<std::size_t>(found.size));
    cuda.each(count, NameGroups{leader.data(), number.data(), found.group_of.data(), found.firsts.data()});
}

void gather_members(Cuda& cuda, Index count, CudaDistinctRows& found) {
    const auto rows = static_cast<std::size_t>(count);
    CudaBuffer<Index> keys(rows, cuda.stream());
    cuda.resize(found.members, rows);
    cuda.resize(found.offsets, static_cast<std::size_t>(found.size) + 1);
    cuda.each(count, FillMembers{found.group_of.data(), keys.data(), found.members.data()});
    numerics::sort_pairs(cuda, keys, found.members, 0, 32);
    cuda.each(count, FindOffsets{keys.data(), count, found.offsets.data()});
}

struct Invert {
    const Index* order;
    Index* number;
    __device__ void operator()(Offset i) const { number[order[i]] = static_cast<Index>(i); }
};

struct Rename {
    const Index* number;
    Index* group_of;
    __device__ void operator()(Offset r) const { group_of[r] = number[group_of[r]]; }
};

struct Pick {
    const Index *from, *order;
    Index* to;
    __device__ void operator()(Offset i) const { to[i] = from == nullptr ? order[i] : from[order[i]]; }
};

}  // namespace

void renumber(Cuda& cuda, const CudaBuffer<Index>& order, Index rows, CudaDistinctRows& groups) {
    CudaBuffer<Index> number(order.size(), cuda.stream()), firsts(order.size(), cuda.stream());
    cuda.each(groups.size, Invert{order.data(), number.data()});
    cuda.each(groups.size, Pick{groups.firsts.data(), order.data(), firsts.data()});
    if (groups.trivial()) groups.group_of.swap(number);
    if (!groups.trivial()) cuda.each(rows, Rename{number.data(), groups.group_of.data()});
    groups.firsts.swap(firsts);
    gather_members(cuda, rows, groups);
}

std::uint64_t group_bytes(Index rows) { return static_cast<std::uint64_t>(rows) * 40 + (std::uint64_t{1} << 20); }

CudaDistinctRows find_distinct_rows(Cuda& cuda, const DeviceRows& rows) {
    const auto count = static_cast<std::size_t>(rows.count);
    CudaBuffer<std::uint64_t> hashes(count, cuda.stream());
    CudaBuffer<Index> order(count, cuda.stream()), begins(count, cuda.stream());
    device::CudaCell<Index> groups;
    cuda.set(groups, Index{0});
    each_warp(cuda, rows.count, Hash{rows, hashes.data(), order.data()});
    numerics::sort_pairs(cuda, hashes, order, 0, 64);
    each_warp(cuda, rows.count, MarkBegins{rows, hashes.data(), order.data(), begins.data(), cuda.address(groups)});

    CudaDistinctRows found;
    found.size = cuda.read(groups);
    if (found.size == rows.count) return found;
    number_groups(cuda, rows.count, order, begins, found);
    gather_members(cuda, rows.count, found);
    return found;
}

}  // namespace dunlin::neighbors
