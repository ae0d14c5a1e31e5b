// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// A group of points in a GroupTree. It is there at the levels t with death <= t < birth. Levels fall from the root
/// (birth: infinity) to the leaves; for density clusters they are distances, and 1 / t is their lambda.
struct Group {
    Index parent = -1;  ///< -1: the root
    Index end = 0;      ///< the group's descendants are the groups after it, up to this one, excluded
    Index size = 0;     ///< number of points, those of its descendants included
    Index least = 0;    ///< its first point
    double birth = 0;
    double death = 0;        ///< where it splits into its children, or falls apart
    double stability = 0;    ///< density clusters: excess of mass
    double persistence = 0;  ///< density clusters: stability / (size * largest lambda of all points)
    Index number = -1;       ///< by which results call the group, such as a table of clusters; -1: they do not
};

/// A hierarchy of groups of points. Groups are numbered in preorder, siblings by their first point, and each point has
/// the deepest group that holds it: group a holds point p if a <= home[p] < groups[a].end. Layers and selections are
/// tests of intervals.
struct GroupTree {
    std::vector<Group> groups;               ///< the root first; empty without points
    std::vector<Index> home;                 ///< per point: its deepest group; -1: it takes no part
    std::vector<double> leaves_at;           ///< per point: the level at which it leaves its home
    std::vector<std::vector<Index>> layers;  ///< each: disjoint groups, ascending; the finest layer first
    std::vector<std::string> names;          ///< per group; empty: none have names

    [[nodiscard]] bool contains(Index group, Index point) const {
        const Index at_home = home[static_cast<std::size_t>(point)];
        return group <= at_home && at_home < groups[static_cast<std::size_t>(group)].end;
    }
    [[nodiscard]] DUNLIN_API std::vector<Index> children(Index group) const;

    /// For each point the number, in `selected`, of the group that holds it, or -1. selected: disjoint groups.
    [[nodiscard]] DUNLIN_API std::vector<Index> labels_of(const std::vector<Index>& selected) const;
    /// The same of layers[layer].
    [[nodiscard]] DUNLIN_API std::vector<Index> labels(Index layer) const;
    /// For each point the name of its group in each layer, or `missing`; groups without a name are their numbers, or
    /// "0", "1", .. in the layer.
    [[nodiscard]] DUNLIN_API std::vector<std::vector<std::string>> label_layers(const std::string& missing) const;

    /// The components of points that are connected at level t and have at least `least` points, numbered in preorder;
    /// -1 for points of none. Components that are smaller than the tree's groups are not in the tree; clusters::cut
    /// knows them.
    [[nodiscard]] DUNLIN_API std::vector<Index> cut(double t, Index least = 1) const;
};

/// The tree of nested partitions, the finest first, such as communities::Result::levels: each has a label for every
/// point, and each of its sets is a union of sets of the partition before. A negative label: of no set; the point is at
/// home in the smallest set of a later partition that holds it, or in the root. Levels are numbers of partitions, from
/// 1: a group is there from the first partition that has this set up to the one before that which has it no more; the
/// root is all points, born at infinity. layers[i]: the sets of partition i. Groups of the last one have its labels as
/// numbers. Throws Error{bad_input} for partitions of unequal lengths or that are not nested.
DUNLIN_API GroupTree tree_of_partitions(const std::vector<std::vector<Index>>& partitions);

}  // namespace dunlin
