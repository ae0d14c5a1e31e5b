// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include <dunlin/density.hpp>

namespace dunlin::density {

/// A maximum of values on a grid and its topographic prominence: its height less that of the highest saddle that leads
/// to a higher one, or above 0. (0-dimensional persistence: union-find over the nodes in falling height.)
struct Prominence {
    Index node;
    double value;
};

/// Offsets along x, y, z to the neighbors of a node.
using Neighborhood = std::vector<std::array<int, 3>>;
Neighborhood axis_neighbors(int dim);  ///< 4 in 2-D, 6 in 3-D
Neighborhood kuhn_neighbors(int dim);  ///< joined by an edge of Kuhn's triangulation: 6 in 2-D, 14 in 3-D

/// The nodes with positive heights in falling height; of equal ones the first first.
std::vector<Index> falling_order(std::span<const float> heights);

/// All maxima with a positive prominence, most prominent first. Of equal neighbors the first in `order` is the maximum.
std::vector<Prominence> prominent_maxima(std::span<const float> heights, const std::array<Index, 3>& nodes,
                                         const Neighborhood& neighbors, const std::vector<Index>& order);

/// Throws Error{bad_input} unless there is one value for every node.
void check(const ScalarField& field);

}  // namespace dunlin::density
