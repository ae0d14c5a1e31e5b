// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// Renumbers vertices: vertex v of the result is vertex order[v] of `graph`. Edges keep their order within a row.
Graph relabel(device::Cpu& cpu, const Graph& graph, std::span<const Index> order);

/// Rows of a graph without weights, for many searches: half the memory, and entries behind the last row, so that
/// `padding` entries can be read at any row.
struct CompactRows {
    static constexpr std::size_t padding = 8;
    std::vector<std::uint32_t> offsets;
    std::vector<Index> targets;

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] static bool can_hold(const Graph& graph) {
        return graph.edges() <= Offset{std::numeric_limits<std::uint32_t>::max()};
    }
};

/// How far apart neighbors are when vertex v has the number number[v]: the bits of the differences, summed over the
/// edges. Searches read from fewer places if it is small.
double bits_of_gaps(device::Cpu& cpu, const Graph& graph, std::span<const Index> number);

/// As relabel; can_hold(graph).
CompactRows relabel_compact(device::Cpu& cpu, const Graph& graph, std::span<const Index> order);

}  // namespace dunlin::graph
