// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "checkpoint/session.hpp"
#include "descent/repulsion.hpp"
#include "descent/state.hpp"
#include "descent/status.hpp"

/// State of a descent in a checkpoint: all that later iterations depend on except the edges. Does not include forces,
/// mass and step parameters, which each iteration computes.
namespace dunlin::descent {

/// Where a descent is between two iterations.
struct DescentPosition {
    int iteration = 0;           ///< the next one
    std::uint8_t has_ended = 0;  ///< there is no next one
    Stopped stopped = Stopped::budget;
    std::vector<Engine> engines = {};  ///< repulsion engines used
};

/// Memory of an objective that depends on the iteration number alone: nothing to save.
struct NoMemory {
    std::uint8_t unused = 0;
    [[nodiscard]] static bool fits() { return true; }
};

inline void write_engines(checkpoint::ArchiveWriter& archive, const std::vector<Engine>& engines) {
    archive(static_cast<std::uint64_t>(engines.size()));
    for (const Engine& engine : engines) archive(*value_named<Repulsion>(engine.name)), archive(engine.first_iteration);
}

inline std::vector<Engine> read_engines(checkpoint::ArchiveReader& archive, int iteration) {
    std::vector<Engine> engines;
    std::uint64_t count = 0;
    archive(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        Repulsion engine{};
        int first = 0;
        archive(engine), archive(first);
        archive.require(first >= 0 && first <= iteration, "engine");
        engines.push_back({"repulsion", name_of(engine), first});
    }
    return engines;
}

/// memory: that of the objective at the start of the iteration. Trivially copyable; fits() checks a memory that was
/// read.
template <class Exec, class Repeller, class Memory>
void write_descent(checkpoint::ArchiveWriter& archive, Exec& exec, const DescentState<Exec>& state, Repeller& repeller,
                   const DescentPosition& position, const Memory& memory) {
    archive(state.n), archive(state.dim);
    archive(position.iteration), archive(position.has_ended), archive(position.stopped);
    write_engines(archive, position.engines);
    archive(memory), archive(repeller.memory(exec));
    for (const auto* values : {&state.y, &state.velocity, &state.gain}) archive(exec.host(*values));
    archive(exec.host(state.original));
}

/// Whether these are the numbers from 0 on, in any order.
inline bool is_permutation(std::span<const Index> order) {
    std::vector<bool> seen(order.size());
    for (const Index i : order) {
        if (i < 0 || static_cast<std::size_t>(i) >= seen.size() || seen[static_cast<std::size_t>(i)]) return false;
        seen[static_cast<std::size_t>(i)] = true;
    }
    return true;
}

template <class Exec, class Repeller, class Objective>
DescentPosition read_descent(checkpoint::ArchiveReader& archive, Exec& exec, DescentState<Exec>& state,
                             Repeller& repeller, Objective& objective) {
    DescentPosition position;
    typename Objective::Memory of_objective{};
    typename Repeller::Memory of_repeller{};
    Index n = 0;
    int dim = 0;
    archive(n), archive(dim);
    archive.require(n == state.n && dim == state.dim, "number of points");
    archive(position.iteration), archive(position.has_ended), archive(position.stopped);
    archive.require(position.iteration >= 0 && position.iteration <= objective.iterations(), "iteration");
    position.engines = read_engines(archive, position.iteration);
    archive(of_objective), archive(of_repeller);
    archive.require(of_objective.fits(), "cost");
    for (auto* values : {&state.y, &state.velocity, &state.gain}) {
        std::vector<float> read;
        archive.finite(read, values->size(), "map");
        exec.upload(*values, std::span<const float>(read));
    }
    std::vector<Index> original;
    archive(original);
    archive.require(original.size() == static_cast<std::size_t>(n) && is_permutation(original), "order of points");
    exec.upload(state.original, std::span<const Index>(original));
    objective.recall(of_objective);
    archive.require(repeller.recall(exec, state.positions(), of_repeller), "engine of repulsion");
    return position;
}

}  // namespace dunlin::descent
