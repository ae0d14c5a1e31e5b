// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <dunlin/group_tree.hpp>

#include "hierarchy/merge_tree.hpp"
#include "math/hd.hpp"

namespace dunlin::hierarchy {

/// The inverse of a level; infinity at 0, 0 at infinity.
DUNLIN_HD inline double lambda_of(double level) { return level == 0 ? INFINITY : 1 / level; }

/// A term of a cluster's stability: points that leave it, or go to its children, at a level.
DUNLIN_HD inline double stability_term(Index leaving, double level, double birth) {
    return leaving * (lambda_of(level) - lambda_of(birth));
}

/// Numbers of groups in preorder, siblings by their first points.
struct Preorder {
    std::vector<Index> numbers;
    std::vector<Index> sizes;  ///< of each group: the groups of its subtree
};
/// parents: -1 for group 0, the root; else a group before.
Preorder preorder_of(const std::vector<Index>& parents, const std::vector<Index>& least);

/// The condensed tree of HDBSCAN: from the root downward, a cluster goes on in the one child with at least `least`
/// points, splits where two or more have as many, and ends where none has; the other points leave it at that level.
/// With stabilities: the sum, over the points that leave and the points of its children, of the lambda at which they do
/// less the lambda of its birth. The root, born at infinity, is there for any number of points above 0.
GroupTree condense(const MergeTree& tree, Index least);

}  // namespace dunlin::hierarchy
