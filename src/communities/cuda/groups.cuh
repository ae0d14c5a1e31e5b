// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "communities/rules.hpp"

/// Threads that work on one vertex together, and their table of sums. Only the language of kernels, so that tests can
/// emulate it (tests/cases/emulated_gpu.hpp).
namespace dunlin::communities {

__extension__ using WideBits = unsigned __int128;

/// A level in device memory, as WeightedLevel.
struct LevelView {
    Index size;
    const Offset* offsets;
    const Index* targets;
    const Weight* weights;
    const Weight* masses;
};

// Vertices are of four kinds by their degree: how many threads a vertex has, and the slots of its table.
constexpr int kinds = 4, hub_kind = kinds - 1;
constexpr int threads_of_kind[kinds] = {8, 32, 256, 1024};
constexpr Offset most_degree[hub_kind] = {16, 128, 1024};
constexpr int group_threads = 256;  ///< of a block of all kinds but hubs

template <int Kind>
constexpr int block_of = Kind == hub_kind ? threads_of_kind[hub_kind] : group_threads;

DUNLIN_HD inline int kind_of(Offset degree) {
    constexpr Offset a = most_degree[0], b = most_degree[1], c = most_degree[2];
    return degree <= a ? 0 : degree <= b ? 1 : degree <= c ? 2 : hub_kind;
}

constexpr unsigned least_slots = 16;

/// Slots of the table of a vertex: a power of two, at least twice its degree.
DUNLIN_HD inline unsigned slots_of(Offset degree) {
    unsigned slots = least_slots;
    while (slots < 2 * static_cast<std::uint64_t>(degree)) slots *= 2;
    return slots;
}

/// `Threads` consecutive threads of a block: part of a warp, or the block.
template <int Threads>
struct ThreadGroup {
    static constexpr int size = Threads;
    static constexpr bool is_block = Threads > 32;

    static __device__ int rank() { return static_cast<int>(threadIdx.x) % Threads; }
    static __device__ unsigned mask() {
        if constexpr (Threads >= 32) {
            return ~0U;
        } else {
            return ((1U << Threads) - 1) << (threadIdx.x % 32 / Threads * Threads);
        }
    }
    static __device__ void sync() {
        if constexpr (is_block) {
            __syncthreads();
        } else {
            __syncwarp(mask());
        }
    }

    /// The best of all threads, for the first.
    static __device__ BestGroup best_of(BestGroup best) {
        constexpr int lanes = is_block ? 32 : Threads;
        for (int step = lanes / 2; step > 0; step /= 2) {
            BestGroup other;
            other.gain = from_lane(best.gain, step);
            other.group = __shfl_xor_sync(mask(), best.group, step);
            if (other.group >= 0) best.offer(other.group, other.gain);
        }
        if constexpr (is_block) {
            __shared__ Wide gains[Threads / 32];
            __shared__ Index groups[Threads / 32];
            if (threadIdx.x % 32 == 0) {
                gains[threadIdx.x / 32] = best.gain;
                groups[threadIdx.x / 32] = best.group;
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int w = 1; w < Threads / 32; ++w) {
                    if (groups[w] >= 0) best.offer(groups[w], gains[w]);
                }
            }
            __syncthreads();
        }
        return best;
    }

    /// The sum of all threads, for the first.
    static __device__ Weight sum_of(Weight value) {
        constexpr int lanes = is_block ? 32 : Threads;
        for (int step = lanes / 2; step > 0; step /= 2)
            value += static_cast<Weight>(__shfl_xor_sync(mask(), static_cast<unsigned long long>(value), step));
        if constexpr (is_block) {
            __shared__ Weight parts[Threads / 32];
            if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int w = 1; w < Threads / 32; ++w) value += parts[w];
            }
            __syncthreads();
        }
        return value;
    }

private:
    static __device__ Wide from_lane(Wide value, int step) {
        const auto bits = static_cast<WideBits>(value);
        const unsigned long long high = __shfl_xor_sync(mask(), static_cast<unsigned long long>(bits >> 64), step);
        const unsigned long long low = __shfl_xor_sync(mask(), static_cast<unsigned long long>(bits), step);
        return static_cast<Wide>(static_cast<WideBits>(high) << 64 | low);
    }
};

/// Sums of weights by community or part: open addressing.
struct SumTable {
    static constexpr Index empty = -1;

    Index* keys;
    unsigned long long* sums;
    unsigned slots;

    /// Other threads see it after sync().
    template <class Threads>
    __device__ void clear() const {
        for (unsigned s = static_cast<unsigned>(Threads::rank()); s < slots; s += Threads::size) {
            keys[s] = empty;
            sums[s] = 0;
        }
    }
    __device__ unsigned home_of(Index key) const {
        constexpr unsigned golden = 0x9e3779b9U;  // 2^32 over the golden ratio
        return static_cast<unsigned>(key) * golden >> __clz(static_cast<int>(slots - 1)) & (slots - 1);
    }
    __device__ void add(Index key, Weight weight) const {
        unsigned slot = home_of(key);
        for (;; slot = (slot + 1) & (slots - 1)) {
            const Index there = atomicCAS(keys + slot, empty, key);
            if (there == empty || there == key) break;
        }
        atomicAdd(sums + slot, static_cast<unsigned long long>(weight));
    }
    __device__ Weight of(Index key) const {
        for (unsigned slot = home_of(key);; slot = (slot + 1) & (slots - 1)) {
            if (keys[slot] == key) return static_cast<Weight>(sums[slot]);
            if (keys[slot] == empty) return 0;
        }
    }
};

/// Tables of the hubs in device memory, one for each block of a grid.
struct HubTables {
    Index* keys;
    unsigned long long* sums;
    Offset slots;  ///< of one

    __device__ SumTable of_block(unsigned slots_wanted) const {
        return {keys + blockIdx.x * slots, sums + blockIdx.x * slots, slots_wanted};
    }
};

/// Calls act.template operator()<ThreadGroup>(vertex, table) for each vertex of one kind; the threads of a group call
/// it together.
template <int Kind, class Act>
__device__ void with_tables(const LevelView& level, const Index* vertices, Offset count, const HubTables& hubs,
                            const Act& act) {
    constexpr int threads = threads_of_kind[Kind];
    using Threads = ThreadGroup<threads>;
    if constexpr (Kind == hub_kind) {
        for (Offset i = blockIdx.x; i < count; i += gridDim.x) {
            const Index v = vertices[i];
            act(Threads(), v, hubs.of_block(slots_of(level.offsets[v + 1] - level.offsets[v])));
            Threads::sync();
        }
    } else {
        constexpr int groups = group_threads / threads;
        constexpr unsigned slots = 2 * static_cast<unsigned>(most_degree[Kind]);
        __shared__ Index keys[groups * slots];
        __shared__ unsigned long long sums[groups * slots];
        const int group = static_cast<int>(threadIdx.x) / threads;
        const Offset i = Offset{blockIdx.x} * groups + group;
        if (i >= count) return;
        const Index v = vertices[i];
        act(Threads(), v,
            SumTable{keys + group * slots, sums + group * slots, slots_of(level.offsets[v + 1] - level.offsets[v])});
    }
}

/// Calls act(ThreadGroup(), vertex) for each vertex of one kind.
template <int Kind, class Act>
__device__ void with_groups(const Index* vertices, Offset count, const Act& act) {
    constexpr int threads = threads_of_kind[Kind], groups = Kind == hub_kind ? 1 : group_threads / threads;
    const Offset i = Offset{blockIdx.x} * groups + static_cast<int>(threadIdx.x) / threads;
    if (i < count) act(ThreadGroup<threads>(), vertices[i]);
}

/// Sums of values of the edges of each vertex, for kernels that need no table: value(v, e).
template <int Kind, class Value, class Act>
__global__ void __launch_bounds__(block_of<Kind>)
    row_sums_kernel(LevelView level, const Index* vertices, Offset count, Value value, Act act) {
    with_groups<Kind>(vertices, count, [&](auto group, Index v) {
        using Threads = decltype(group);
        Weight sum = 0;
        for (Offset e = level.offsets[v] + Threads::rank(); e < level.offsets[v + 1]; e += Threads::size)
            sum += value(v, e);
        sum = Threads::sum_of(sum);
        if (Threads::rank() == 0) act(v, sum);
    });
}

}  // namespace dunlin::communities
