// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/communities.hpp>

#include "communities/aggregation.hpp"
#include "communities/moving.hpp"
#include "communities/refinement.hpp"

namespace dunlin::communities {

/// Connected communities of the base graph.
struct Partition {
    std::vector<Index> labels;
    std::vector<std::vector<Index>> levels;  ///< labels of the parts of each level, the finest first
    Wide quality = 0;                        ///< the objective, without the constant share of loops
};

/// Improves partitions of a graph by local moving, refinement and aggregation over levels.
class Hierarchy {
public:
    Hierarchy(device::Cpu& cpu, const WeightedLevel& base, const PartitionObjective& objective, Method method);

    /// One iteration from given communities, numbers below base.size().
    Partition improve(const std::vector<Index>& from, std::uint64_t seed);

    /// Single moves, each of which raises the quality, until there are none.
    Partition polish(const std::vector<Index>& from, std::uint64_t seed);

    /// The partition into the connected components of the communities; this never lowers the quality.
    Partition connected(std::vector<Index> labels);

private:
    Index divide(const WeightedLevel& level, std::uint64_t seed, const std::vector<Index>& community,
                 std::vector<Index>& part);

    device::Cpu& cpu_;
    const WeightedLevel& base_;
    PartitionObjective objective_;
    Method method_;
    std::vector<LinkSums> sums_;
    LocalMoving moving_;
    StarRefinement refinement_;
    Aggregation aggregation_;
    WeightedLevel levels_[2];  ///< the aggregated ones in turn
};

}  // namespace dunlin::communities
