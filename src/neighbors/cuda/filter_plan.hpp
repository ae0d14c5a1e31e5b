// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Passes of the candidate filter over the base in random order: the rows before ends[0] are all listed; then each
/// query's search radius becomes the distance of its ranks[0]-th candidate, the rows up to ends[1] are filtered, and so
/// on.
struct FilterPlan {
    std::vector<Index> ends;
    std::vector<Index> ranks;
};

/// Capacity of a candidate list: a power of two, more than twice what the last pass leaves.
inline int list_capacity(Index wanted) {
    const double most = 2.5 * wanted + 16 * std::sqrt(wanted) + 64;
    return std::max(1024, 1 << static_cast<int>(std::ceil(std::log2(std::min(most, 0x1p30)))));
}

/// A rank in a sample (`sample` of `rows` rows) that lies beyond the rank-th of all rows, except in about 2 of 100,000
/// cases: the number of the `rank` nearest in the sample is nearly Poisson.
inline Index rank_in_sample(Index rank, Index sample, Index rows) {
    const double share = static_cast<double>(rank) * sample / rows;
    return static_cast<Index>(std::ceil(share + 4 * std::sqrt(share) + 4));
}

/// Samples grow 16-fold and in the last pass 4-fold, and are multiples of `tile` rows. The last list has about 1.5 to 2
/// times `wanted` entries (`wanted` includes the query itself).
inline FilterPlan plan_filter(Index rows, Index wanted, Index tile) {
    FilterPlan plan;
    plan.ends = {rows};
    for (Index shrink = 4; plan.ends.back() > list_capacity(wanted); shrink = 16) {
        const Index tiles = (plan.ends.back() / shrink + tile - 1) / tile;
        plan.ends.push_back(std::min(tiles * tile, plan.ends.back()));
    }
    std::reverse(plan.ends.begin(), plan.ends.end());
    plan.ranks.resize(plan.ends.size() - 1);
    Index rank = wanted;
    for (std::size_t p = plan.ranks.size(); p-- > 0;) {
        rank = std::min(rank_in_sample(rank, plan.ends[p], plan.ends[p + 1]), plan.ends[p]);
        plan.ranks[p] = rank;
    }
    return plan;
}

/// Reorders a list: alternately the first entry not yet taken, and an entry a golden section of the list beyond the
/// previous one. Any prefix is half the original prefix and half a sample of the whole.
inline std::vector<Index> half_sampled(const std::vector<Index>& list) {
    const std::size_t size = list.size(), golden = size * 618 / 1000 + 1;
    std::vector<std::uint8_t> taken(size, 0);
    std::vector<Index> mixed;
    mixed.reserve(size);
    for (std::size_t first = 0, sampled = 0; first < size; ++first, sampled = (sampled + golden) % size) {
        for (const std::size_t place : {first, sampled}) {
            if (taken[place] == 0) mixed.push_back(list[place]);
            taken[place] = 1;
        }
    }
    return mixed;
}

}  // namespace dunlin::neighbors
