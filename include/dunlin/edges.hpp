// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::graph {

/// The weight of several edges between the same two vertices, in either direction, which become one.
enum class Repeated {
    largest,     ///< the largest of their weights
    least,       ///< the least: of lengths, the shorter way counts
    add,         ///< their sum: strengths, conductances in parallel
    add_listed,  ///< the same, but an edge that is listed from both of its ends, with the same weights, counts once
};
constexpr std::array<std::string_view, 4> names(Repeated) { return {"largest", "least", "add", "add-listed"}; }

/// A graph made from a list of edges.
struct SimpleGraph {
    Graph graph;             ///< undirected and simple: every edge in both directions, targets ascending in a row
    Offset self_loops = 0;   ///< edges from a vertex to itself, left out
    Offset multi_edges = 0;  ///< edges that join two vertices again, in either direction, merged
    bool both_ends = false;  ///< Repeated::add_listed: every edge is listed from both ends, and counts once
};

/// The undirected simple graph that layout::place takes, of `vertices` vertices and the edges sources[e] - targets[e].
/// Edges between the same two vertices are one, with the weight that `repeated` says. weights: one per edge, or empty:
/// each is 1. Runs on the CPU; the same for any number of threads. Cancelled, it has no vertices.
/// Throws Error{bad_input} if lengths differ, for a vertex outside [0, vertices), and with the edge as the row for a
/// weight that is not finite and above 0.
DUNLIN_API SimpleGraph simple_graph(Index vertices, std::span<const Index> sources, std::span<const Index> targets,
                                    std::span<const float> weights = {}, const Run& run = {},
                                    Repeated repeated = Repeated::largest);

}  // namespace dunlin::graph
