// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/linkage.hpp>

/// From weighted edges to a hierarchy of clusters (Campello, Moulavi and Sander 2013).
namespace dunlin::hierarchy {

struct Edge {
    double weight;
    Index a, b;
};

/// The components of the edges with weight <= t, as t rises. A node is a component of two or more points; its children
/// are all components, points among them, that join at its level. Edges of equal weight act at once, so the tree
/// depends neither on the order of points nor on the choice among spanning trees. Nodes ascend by level, ties by first
/// point: children come before parents, and the root is last.
struct MergeTree {
    std::vector<double> level;
    std::vector<Index> parent;       ///< per node; -1: the root
    std::vector<Index> size, least;  ///< per node: number of points, first point
    std::vector<Index> home;         ///< per point: the first node that holds it; -1 for a single point

    [[nodiscard]] Index nodes() const { return static_cast<Index>(level.size()); }
    [[nodiscard]] Index points() const { return static_cast<Index>(home.size()); }
};

/// Components that no edge joins meet at infinity. Weights are not NaN; edges are sorted.
MergeTree merge_tree(Index points, std::vector<Edge> edges);

/// The tree as points - 1 merges of two sets: the children of a node one after the other, by their first points.
std::vector<Merge> linkage_of(const MergeTree& tree);

}  // namespace dunlin::hierarchy
