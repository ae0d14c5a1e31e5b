// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::layout {

constexpr Index small_level = 5000;  ///< vertices of the level that is placed with all care (coarsest.hpp), at most

/// A connected graph and coarser and coarser ones, all on one device: level 0 is the graph itself.
template <class Level, class Coarsening>
struct Ladder {
    Level finest;
    std::vector<Coarsening> steps;

    [[nodiscard]] std::size_t top() const { return steps.size(); }
    [[nodiscard]] Level level(std::size_t l) const { return l == 0 ? finest : steps[l - 1].level(); }
    [[nodiscard]] Index size(std::size_t l) const { return level(l).graph->size(); }
};

/// Up to a graph of at most `most` vertices.
template <class Exec, class Level>
auto ladder_of(Exec& exec, const Level& finest, std::uint64_t seed, Index most = small_level) {
    Ladder<Level, decltype(coarsen(exec, finest, seed))> ladder{finest, {}};
    while (ladder.size(ladder.top()) > most) {
        ladder.steps.push_back(coarsen(exec, ladder.level(ladder.top()), seed + ladder.top()));
    }
    return ladder;
}

}  // namespace dunlin::layout
