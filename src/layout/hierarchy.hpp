// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::layout {

constexpr Index small_level = 5000;  ///< vertices of the level that is placed with all care (coarsest.hpp), at most

/// Hierarchy of coarser and coarser graphs of a connected graph, on one device: level 0 is the graph itself.
template <class Level, class Coarsening>
struct Hierarchy {
    Level finest;
    std::vector<Coarsening> steps;

    [[nodiscard]] std::size_t coarsest() const { return steps.size(); }
    [[nodiscard]] Level level(std::size_t l) const { return l == 0 ? finest : steps[l - 1].level(); }
    [[nodiscard]] Index size(std::size_t l) const { return level(l).graph->size(); }
};

/// Coarsens until a level has at most `most` vertices.
template <class Exec, class Level>
auto build_hierarchy(Exec& exec, const Level& finest, std::uint64_t seed, Index most = small_level) {
    Hierarchy<Level, decltype(coarsen(exec, finest, seed))> hierarchy{finest, {}};
    while (hierarchy.size(hierarchy.coarsest()) > most) {
        hierarchy.steps.push_back(coarsen(exec, hierarchy.level(hierarchy.coarsest()), seed + hierarchy.coarsest()));
    }
    return hierarchy;
}

}  // namespace dunlin::layout
