// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "communities/link_sums.hpp"
#include "device/cpu.hpp"

namespace dunlin::communities {

/// Aggregation: the parts of a level become the vertices of the next one. Rows list neighbors in the order in which
/// they first occur in the rows of the members, which ascend: the same for any number of threads.
class Aggregation {
public:
    Aggregation(device::Cpu& cpu, std::vector<LinkSums>& sums) : cpu_(cpu), sums_(sums) {}

    /// part: numbers below `parts`, without gaps. `next` is another level than `level`; its memory is used again.
    void run(const WeightedLevel& level, const std::vector<Index>& part, Index parts, WeightedLevel& next);

private:
    /// Rows of some consecutive parts.
    struct Block {
        std::vector<Index> targets;
        std::vector<Weight> weights;
    };

    void list_members(const std::vector<Index>& part, Index parts);
    void add_row(const WeightedLevel& level, const std::vector<Index>& part, Index p, LinkSums& links,
                 Block& block) const;

    device::Cpu& cpu_;
    std::vector<LinkSums>& sums_;
    std::vector<Offset> offsets_, places_;
    std::vector<Index> members_;  ///< vertices, part after part, ascending in each
    std::vector<Block> blocks_;
};

}  // namespace dunlin::communities
