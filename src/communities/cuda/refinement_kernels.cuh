// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "communities/cuda/groups.cuh"

/// Refinement by stars (refinement.hpp).
namespace dunlin::communities {

struct RefinementTask {
    LevelView level;
    PartitionObjective objective;
    std::uint64_t seed;
    const Index* community;
    const CommunitySums* sums;  ///< of communities
    Index* part;
    Weight *masses, *cuts;    ///< of parts: the mass, and the links to the rest of the community
    std::uint16_t* bits;      ///< of rounds
    std::uint8_t* is_single;  ///< of a vertex: well connected by itself at the begin
    std::uint8_t* grown;      ///< of a part: it has several vertices
    std::uint8_t* joined;     ///< of a vertex: the round in which it joined a part, from 1
    Index* candidates;        ///< of a part: its community, if it may be joined, or -1
    Index* choices;

    [[nodiscard]] __device__ bool is_well_connected(Index part_or_vertex) const {
        return objective.is_well_connected(cuts[part_or_vertex], masses[part_or_vertex],
                                           sums[community[part_or_vertex]].mass);
    }
};

/// For row_sums_kernel: the links of a vertex to the rest of its community, and what follows at the begin.
struct LinkInside {
    LevelView level;
    const Index* community;
    __device__ Weight operator()(Index v, Offset e) const {
        return community[level.targets[e]] == community[v] ? level.weights[e] : 0;
    }
};
struct BeginVertex {
    RefinementTask task;
    __device__ void operator()(Index v, Weight cut) const {
        task.part[v] = v;
        task.masses[v] = task.level.masses[v];
        task.cuts[v] = cut;
        task.bits[v] = bits_of_rounds(task.seed, v);
        task.grown[v] = 0;
        task.joined[v] = 0;
        task.is_single[v] = cut > 0 && task.is_well_connected(v) ? 1 : 0;
    }
};

/// Sets what may be joined in a round. Returns whether v is single and well connected.
__device__ inline bool set_candidate(const RefinementTask& task, Index v) {
    const bool grown = task.grown[v] != 0;
    const bool single = task.is_single[v] != 0 && !grown && task.joined[v] == 0;
    const bool may_be_joined = single || (grown && task.is_well_connected(v));
    task.candidates[v] = may_be_joined ? task.community[v] : -1;
    return single;
}

/// Every single vertex that moves in this round chooses its part.
template <int Kind>
__global__ void __launch_bounds__(block_of<Kind>)
    choose_parts_kernel(RefinementTask task, int round, const Index* vertices, Offset count, HubTables hubs) {
    with_tables<Kind>(task.level, vertices, count, hubs, [&](auto group, Index v, const SumTable& table) {
        using Threads = decltype(group);
        const LevelView& level = task.level;
        table.template clear<Threads>();
        Threads::sync();
        const Index own = task.community[v];
        const Offset end = level.offsets[v + 1];
        for (Offset e = level.offsets[v] + Threads::rank(); e < end; e += Threads::size) {
            const Index part = task.part[level.targets[e]];
            if (task.candidates[part] == own) table.add(part, level.weights[e]);
        }
        Threads::sync();

        const Weight mass = level.masses[v];
        BestGroup best;
        for (unsigned s = static_cast<unsigned>(Threads::rank()); s < table.slots; s += Threads::size) {
            const Index part = table.keys[s];
            if (part == SumTable::empty) continue;
            best.offer(part, task.objective.gain(static_cast<Weight>(table.sums[s]), mass, task.masses[part]));
        }
        best = Threads::best_of(best);
        if (Threads::rank() != 0) return;
        const bool joins =
            best.group >= 0 && (task.grown[best.group] != 0 || !moves_in_round(task.bits[best.group], round));
        task.choices[v] = joins ? best.group : v;
    });
}

/// A thread for each of these vertices.
__global__ void join_kernel(RefinementTask task, int round, const Index* vertices, Offset count) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Index v = vertices[i], to = task.choices[v];
    if (to == v) return;
    task.part[v] = to;
    task.joined[v] = static_cast<std::uint8_t>(round + 1);
    task.grown[to] = 1;
    atomicAdd(reinterpret_cast<unsigned long long*>(task.masses + to),
              static_cast<unsigned long long>(task.level.masses[v]));
}

/// For row_sums_kernel, after join_kernel, as parts of others that join at the same time are read: see closed_link.
struct ClosedLink {
    RefinementTask task;
    int round;
    __device__ Weight operator()(Index v, Offset e) const {
        if (task.choices[v] == v) return 0;
        const Index u = task.level.targets[e];
        return task.part[u] == task.part[v] ? closed_link(task.joined[u], round, task.level.weights[e]) : 0;
    }
};
struct AddCut {
    RefinementTask task;
    __device__ void operator()(Index v, Weight closed) const {
        const Index to = task.choices[v];
        if (to == v) return;
        atomicAdd(reinterpret_cast<unsigned long long*>(task.cuts + to),
                  static_cast<unsigned long long>(task.cuts[v] - closed));
    }
};

}  // namespace dunlin::communities
