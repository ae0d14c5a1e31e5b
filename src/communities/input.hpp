// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include <dunlin/communities.hpp>

#include "communities/objective.hpp"
#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::communities {

/// A graph with every edge in both directions, once, of weight above 0, and its loops.
struct UndirectedGraph {
    const Graph* given = nullptr;  ///< the caller's graph, if it is one
    std::optional<Graph> made;     ///< else
    std::vector<float> loops;      ///< weight of the loop of each vertex; empty: none has one
    double factor = 1;             ///< of all weights but those of loops

    [[nodiscard]] const Graph& graph() const { return made ? *made : *given; }
};

/// Throws Error{bad_input} for offsets that are none.
void check_arrays(const Graph& graph);

/// Throws Error{bad_input}, with the edge, for a target that is no vertex, and a weight below 0 or not finite.
UndirectedGraph undirected(device::Cpu& cpu, const Graph& graph, Symmetrize rule);

/// What is maximized, in units of weight.
struct Aim {
    PartitionObjective objective;
    double units = 1;  ///< in a weight of 1
    Weight loops = 0;  ///< sum of the weights of the loops
    Weight total = 0;  ///< 2m
};

/// Rows whose weights are added one after the other, before the sums of such blocks.
constexpr Offset row_grain = 1024;

/// A weight in units; one above 0 has at least one.
DUNLIN_HD inline Weight in_units(double weight, double units) {
    const auto whole = static_cast<Weight>(std::llrint(weight * units));
    return weight > 0 && whole < 1 ? 1 : weight > 0 ? whole : 0;
}

/// The base level, and what is maximized.
struct Problem {
    Aim aim;
    WeightedLevel base;
    std::vector<Weight> degrees;  ///< of each vertex; loops count twice
};
Problem problem_of(device::Cpu& cpu, const UndirectedGraph& graph, const Options& options);

/// Host memory of find() for a graph of this size, in bytes.
std::uint64_t memory_of(Index vertices, Offset edges, int threads);

}  // namespace dunlin::communities
