// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "checkpoint/session.hpp"
#include "layout/coarsest.hpp"
#include "layout/drawing.hpp"
#include "layout/hierarchy.hpp"
#include "layout/pivots.hpp"
#include "layout/prolongation.hpp"
#include "layout/sparse_stress.hpp"
#include "progress/cancel.hpp"

namespace dunlin::layout {

/// Where the initial layout is, for a checkpoint: `steps` have lowered the stress of a level, whose map this is.
template <class Exec>
struct LevelState {
    std::size_t level = 0;  ///< beyond the coarsest one: none has begun
    int steps = 0;
    typename Exec::template Buffer<float> map;

    void write(checkpoint::ArchiveWriter& archive, Exec& exec) const {
        archive(static_cast<std::uint64_t>(level)), archive(steps), archive(exec.host(map));
    }
    void read(checkpoint::ArchiveReader& archive, Exec& exec) {
        std::uint64_t of_level = 0;
        std::vector<float> values;
        archive(of_level), archive(steps), archive(values);
        archive.require(std::all_of(values.begin(), values.end(), checkpoint::is_finite<float>), "map");
        level = of_level;
        exec.upload(map, std::span<const float>(values));
    }
};

/// Initial layout of the finest level, n x dim, in the unit of the edge lengths: distances in the map approximate path
/// lengths. Starts from the layout of the coarsest level; each finer level is interpolated, then its stress is lowered,
/// on a CPU step by step if the loop has a checkpoint.
template <class Exec, class Level, class Coarsening>
auto initial_layout(Exec& exec, const Hierarchy<Level, Coarsening>& hierarchy, const CoarsestLayout& coarsest_layout,
                    std::uint64_t seed, checkpoint::Loop& loop) {
    const int dim = coarsest_layout.map.dim;
    Pivots<Exec> pivots;
    pivots.count = static_cast<Index>(coarsest_layout.pivots.size());
    exec.upload(pivots.vertices, std::span(coarsest_layout.pivots));
    exec.upload(pivots.distances, std::span(coarsest_layout.distances));
    LevelState<Exec> state{hierarchy.coarsest(), 0, {}};
    exec.upload(state.map, std::span(coarsest_layout.map.coordinates));
    const auto write = [&](auto& archive) { state.write(archive, exec); };
    const bool resumed = loop.resume([&](auto& archive) {
        state.read(archive, exec);
        const bool is_level = state.level < hierarchy.coarsest() && state.steps >= 0;
        archive.require(
            is_level && state.map.size() == static_cast<std::size_t>(Offset{hierarchy.size(state.level)} * dim),
            "level of the initial layout");
    });
    Offset finished = 0;
    for (std::size_t l = hierarchy.coarsest(); l-- > 0;) {
        const auto level = hierarchy.level(l);
        const Index n = hierarchy.size(l);
        if (!resumed || l < state.level)
            state = {l, 0, prolongated(exec, level, hierarchy.steps[l], state.map, dim, seed + l)};
        progress::cancellation_point();
        pivots = prolongate_pivots(exec, level, hierarchy.steps[l], pivots, pivots_for(n));
        while (l == state.level && state.steps < steps_for(n)) {
            const bool one_by_one = loop.is_kept() && std::is_same_v<Exec, device::Cpu>;
            const int steps = one_by_one ? 1 : steps_for(n);
            try {
                reduce_stress(exec, level, pivots, steps, dim, state.map);
            } catch (const progress::Cancelled&) {  // the map is that of the last whole step
                loop.save(finished, write);
                throw;
            }
            state.steps += steps;
            loop.offer(++finished, write);
        }
    }
    exec.each(static_cast<Offset>(state.map.size()), Jitter{state.map.data(), seed + hierarchy.coarsest()});
    return std::move(state.map);
}
template <class Exec, class Level, class Coarsening>
auto initial_layout(Exec& exec, const Hierarchy<Level, Coarsening>& hierarchy, const CoarsestLayout& coarsest_layout,
                    std::uint64_t seed) {
    checkpoint::Loop none;
    return initial_layout(exec, hierarchy, coarsest_layout, seed, none);
}

/// The start of a drawing, of n x dim = `size` numbers: compute(loop) lays it out, unless a checkpoint has it already.
template <class Exec, class Compute>
auto kept_layout(Exec& exec, Offset size, const Compute& compute) {
    checkpoint::Loop loop("start");
    typename Exec::template Buffer<float> map;
    if (loop.had_ended()) {
        loop.resume([&](auto& archive) {
            std::vector<float> values;
            archive.finite(values, static_cast<std::size_t>(size), "map");
            exec.upload(map, std::span<const float>(values));
        });
    } else {
        map = compute(loop);
        loop.end(0, [&](auto& archive) { archive(exec.host(map)); });
    }
    return map;
}

/// On a CPU, from the graph.
inline std::vector<float> initial_layout(device::Cpu& cpu, const graph::Level& graph, int dim, std::uint64_t seed) {
    return kept_layout(cpu, Offset{graph.graph->size()} * dim, [&](checkpoint::Loop& loop) {
        const auto hierarchy = build_hierarchy(cpu, graph, seed);
        const auto top = hierarchy.level(hierarchy.coarsest());
        return initial_layout(cpu, hierarchy, place_coarsest(cpu, top, dim, seed), seed, loop);
    });
}

}  // namespace dunlin::layout
