// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/group_tree.hpp>

namespace dunlin::hierarchy {

/// Up to `count` layers of a tree, the finest first: the clusters, and coarser ones above them. With K clusters, layer
/// j of `count`, counted from the coarsest, has about K^(j / count) groups. It has the clusters that a larger least
/// size would leave: from the root downward, a group splits where two or more groups that hold clusters have that size,
/// goes on in one, and ends where none has. Layers of fewer than two groups, or of as many as the one before, are left
/// out. clusters: disjoint groups in ascending order.
std::vector<std::vector<Index>> layers_above(const GroupTree& tree, const std::vector<Index>& clusters, Index count);

/// Numbers the groups of the layers: those of the finest from 0 on, then the others, each layer's in order.
void number_layers(GroupTree& tree);

}  // namespace dunlin::hierarchy
