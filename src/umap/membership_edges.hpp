// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::umap {

/// What a descent goes along: symmetric memberships and, for densMAP, what the densities in the map are to follow.
struct MembershipEdges : Graph {
    std::vector<float> radii;  ///< by input number: log radii in the data, standardized; empty: no densMAP
};

}  // namespace dunlin::umap
