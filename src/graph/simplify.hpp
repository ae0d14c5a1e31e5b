// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// An edge of a list, in the direction it was listed.
struct Edge {
    Index source = 0, target = 0;
};

struct Simple {
    Graph graph;
    Offset self_loops = 0;   ///< edges from a vertex to itself, left out
    Offset multi_edges = 0;  ///< edges that join two vertices again, merged
};

/// The undirected simple graph of a list of edges: each in both directions, targets ascending in a row. Edges between
/// the same two vertices, whatever their direction, are one, with the largest of their weights. `weights`: one per
/// edge, or empty: each is 1.
Simple simplify(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights);

}  // namespace dunlin::graph
