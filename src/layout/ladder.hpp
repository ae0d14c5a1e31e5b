#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"

namespace dunlin::layout {

constexpr Index coarsest = 300;  ///< vertices of the coarsest graph, at most

/// A connected graph and coarser and coarser ones: level 0 is the graph itself.
struct Ladder {
    graph::Level finest;
    std::vector<graph::Coarsening> steps;

    [[nodiscard]] std::size_t top() const { return steps.size(); }
    [[nodiscard]] graph::Level level(std::size_t l) const { return l == 0 ? finest : steps[l - 1].level(); }
    [[nodiscard]] Index size(std::size_t l) const { return level(l).graph->size(); }
};

/// Up to a graph of at most `coarsest` vertices.
Ladder ladder_of(device::Cpu& cpu, const graph::Level& finest, std::uint64_t seed);

/// The global shape: a map of the finest level in which distances are those along edges, in the unit of the edges'
/// lengths. Little stress on the coarsest graph, then, from each to the next finer one, again.
Map outline_of(device::Cpu& cpu, const Ladder& ladder, int dim, std::uint64_t seed, const std::stop_token& stop);

}  // namespace dunlin::layout
