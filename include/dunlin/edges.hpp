// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::graph {

/// A graph made from a list of edges.
struct SimpleGraph {
    Graph graph;             ///< undirected and simple: every edge in both directions, targets ascending in a row
    Offset self_loops = 0;   ///< edges from a vertex to itself, left out
    Offset multi_edges = 0;  ///< edges that join two vertices again, in either direction, merged
};

/// The undirected simple graph that layout::place takes, of `vertices` vertices and the edges sources[e] - targets[e].
/// Edges between the same two vertices are one, with the largest of their weights. weights: one per edge, or empty:
/// each is 1. Runs on the CPU; the same for any number of threads. Cancelled, it has no vertices.
/// Throws Error{bad_input} if lengths differ, for a vertex outside [0, vertices), and with the edge as the row for a
/// weight that is not finite and above 0.
DUNLIN_API SimpleGraph simple_graph(Index vertices, std::span<const Index> sources, std::span<const Index> targets,
                                    std::span<const float> weights = {}, const Run& run = {});

}  // namespace dunlin::graph
