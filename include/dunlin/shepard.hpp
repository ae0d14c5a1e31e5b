// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// The pairs of a Shepard diagram (Shepard 1962), which mds::shepard_diagram has without their numbers.
namespace dunlin::mds {

/// Pairs of items with their places in a Shepard diagram.
struct ShepardPairs {
    std::vector<Index> first, second;
    Map diagram;  ///< of 2 dimensions: dissimilarity (x) and map distance (y)
};

/// Up to `pairs` random pairs among those that stress() uses; all, once, if it uses all and there are no more. Missing
/// pairs and pairs of an item with itself are left out. Throws Error{bad_input} if the sizes differ.
DUNLIN_API ShepardPairs shepard_pairs(const Dissimilarities& items, const Map& map, Index pairs = 20000,
                                      const StressOptions& options = {}, const Run& run = {});

}  // namespace dunlin::mds
