// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/group_tree.hpp>

#include "hierarchy/merge_tree.hpp"

namespace dunlin::hierarchy {

/// The inverse of a level; infinity at 0, 0 at infinity.
double lambda_of(double level);

/// The condensed tree of HDBSCAN: from the root downward, a cluster goes on in the one child with at least `least`
/// points, splits where two or more have as many, and ends where none has; the other points leave it at that level.
/// With stabilities: the sum, over the points that leave and the points of its children, of the lambda at which they do
/// less the lambda of its birth. The root, born at infinity, is there for any number of points above 0.
GroupTree condense(const MergeTree& tree, Index least);

}  // namespace dunlin::hierarchy
