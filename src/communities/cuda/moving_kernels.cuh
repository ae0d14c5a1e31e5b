// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "communities/cuda/groups.cuh"
#include "communities/cuda/moving_state.hpp"

/// Local moving (moving.hpp) of the vertices of a class.
namespace dunlin::communities {

struct MovingTask {
    LevelView level;
    PartitionObjective objective;
    Index* community;
    CommunitySums* sums;
    std::uint8_t* active;
    Index* choices;      ///< per vertex
    unsigned* is_alone;  ///< a bit for each vertex, of the class
    Index* alone;        ///< room for the vertices of which it is set
    MovingState* state;
};

/// Every vertex chooses its community.
template <int Kind>
__global__ void __launch_bounds__(block_of<Kind>)
    choose_moves_kernel(MovingTask task, const Index* vertices, Offset count, HubTables hubs) {
    with_tables<Kind>(task.level, vertices, count, hubs, [&](auto group, Index v, const SumTable& table) {
        using Threads = decltype(group);
        const LevelView& level = task.level;
        table.template clear<Threads>();
        Threads::sync();
        const Offset end = level.offsets[v + 1];
        for (Offset e = level.offsets[v] + Threads::rank(); e < end; e += Threads::size)
            table.add(task.community[level.targets[e]], level.weights[e]);
        Threads::sync();

        const Index own = task.community[v];
        const CommunitySums whole = task.sums[own];
        const Mover mover{task.objective, own, level.masses[v], whole.size == 1};
        BestGroup best = mover.without_move(table.of(own), whole.mass);
        for (unsigned s = static_cast<unsigned>(Threads::rank()); s < table.slots; s += Threads::size) {
            const Index other = table.keys[s];
            if (other != SumTable::empty)
                mover.offer(best, other, static_cast<Weight>(table.sums[s]), task.sums[other]);
        }
        best = Threads::best_of(best);
        if (Threads::rank() != 0) return;
        task.active[v] = 0;
        task.choices[v] = best.group;
        if (best.group == BestGroup::stay) return;
        task.state->moved = 1;
        if (best.group != BestGroup::alone) return;
        atomicOr(task.is_alone + v / 32, 1U << (v % 32));
        atomicAdd(&task.state->alone, 1);
    });
}

constexpr int order_threads = 1024;

/// For the threads of a block of order_threads: the sum of the values of the threads before, and of all.
struct Before {
    Index before, all;
};
__device__ inline Before sum_before(Index value) {
    __shared__ Index warps[order_threads / 32];
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    Index sum = value;
    for (int step = 1; step < 32; step *= 2) {
        const Index earlier = __shfl_up_sync(~0U, sum, step);
        if (lane >= step) sum += earlier;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    Before result{sum - value, 0};
    for (int w = 0; w < order_threads / 32; ++w) {
        if (w < warp) result.before += warps[w];
        result.all += warps[w];
    }
    __syncthreads();
    return result;
}

/// Gives empty communities to the vertices that want one of their own, in ascending order, as
/// LocalMoving::give_own_communities. One block of order_threads.
__global__ void __launch_bounds__(order_threads) give_own_communities_kernel(MovingTask task) {
    if (task.state->alone == 0) return;
    const Offset n = task.level.size, words = (n + 31) / 32;
    constexpr int words_at_once = 4;
    const auto thread = static_cast<Offset>(threadIdx.x);
    Index total = 0;
    for (Offset first = 0; first < words; first += order_threads * words_at_once) {
        unsigned bits[words_at_once];
        Index count = 0;
        const Offset own = first + thread * words_at_once;
#pragma unroll
        for (int w = 0; w < words_at_once; ++w) {
            bits[w] = own + w < words ? task.is_alone[own + w] : 0;
            count += __popc(bits[w]);
        }
        if (__syncthreads_or(count) == 0) continue;
        const Before rank = sum_before(count);
        Index to = total + rank.before;
#pragma unroll
        for (int w = 0; w < words_at_once; ++w) {
            if (bits[w] != 0) task.is_alone[own + w] = 0;
            for (unsigned left = bits[w]; left != 0; left &= left - 1)
                task.alone[to++] = static_cast<Index>((own + w) * 32 + __ffs(static_cast<int>(left)) - 1);
        }
        total += rank.all;
    }
    __syncthreads();

    __shared__ Index next;
    const Offset begin = task.state->next_free;
    Index given = 0;
    for (Offset seen = 0; seen < n && given < total; seen += order_threads) {
        const Offset i = seen + thread;
        const auto c = static_cast<Index>((begin + i) % n);
        const bool is_free = i < n && task.sums[c].size == 0;
        const Before rank = sum_before(is_free ? 1 : 0);
        const Index to = given + rank.before;
        if (is_free && to < total) {
            task.choices[task.alone[to]] = c;
            if (to == total - 1) next = static_cast<Index>((begin + i + 1) % n);
        }
        given = min(total, given + rank.all);
    }
    __syncthreads();
    // There may be too few: the others stay active
    for (Offset i = given + thread; i < total; i += order_threads) {
        task.choices[task.alone[i]] = BestGroup::stay;
        task.active[task.alone[i]] = 1;
    }
    if (thread != 0) return;
    if (given == total) task.state->next_free = next;
    task.state->alone = 0;
}

/// A thread for each vertex of the class.
__global__ void move_kernel(MovingTask task, const Index* vertices, Offset count) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Index v = vertices[i], to = task.choices[v], own = task.community[v];
    if (to < 0) return;
    const Weight mass = task.level.masses[v];
    atomicAdd(reinterpret_cast<unsigned long long*>(&task.sums[own].mass), static_cast<unsigned long long>(-mass));
    atomicAdd(reinterpret_cast<unsigned long long*>(&task.sums[to].mass), static_cast<unsigned long long>(mass));
    atomicAdd(&task.sums[own].size, -1);
    atomicAdd(&task.sums[to].size, 1);
    task.community[v] = to;
}

/// Neighbors in other communities of those that have moved are active.
template <int Kind>
__global__ void __launch_bounds__(block_of<Kind>)
    activate_kernel(MovingTask task, const Index* vertices, Offset count) {
    with_groups<Kind>(vertices, count, [&](auto group, Index v) {
        if (task.choices[v] < 0) return;
        const Index own = task.community[v];
        const Offset end = task.level.offsets[v + 1];
        for (Offset e = task.level.offsets[v] + decltype(group)::rank(); e < end; e += decltype(group)::size) {
            const Index u = task.level.targets[e];
            if (task.community[u] != own) task.active[u] = 1;
        }
    });
}

}  // namespace dunlin::communities
