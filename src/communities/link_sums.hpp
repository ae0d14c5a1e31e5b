// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "communities/level.hpp"
#include "math/at.hpp"

namespace dunlin::communities {

/// Sums of weights by community for one vertex at a time: a dense array that is all 0 between two vertices, and the list
/// of those that are not. One for each worker, for all levels.
class LinkSums {
public:
    /// Allocates for communities below `size`, of which any may be a neighbor.
    void reserve(Index size) {
        sums_.resize(at(size), 0);
        near_.resize(at(size) + 1);  // add() writes before it counts
    }

    /// weight > 0.
    void add(Index community, Weight weight) {
        Weight& sum = sums_[at(community)];
        near_[at(count_)] = community;
        count_ += sum == 0 ? 1 : 0;
        sum += weight;
    }

    [[nodiscard]] Weight operator[](Index community) const { return sums_[at(community)]; }
    [[nodiscard]] std::span<const Index> near() const { return {near_.data(), at(count_)}; }

    void clear() {
        for (const Index community : near()) sums_[at(community)] = 0;
        count_ = 0;
    }

private:
    std::vector<Weight> sums_;
    std::vector<Index> near_;
    Index count_ = 0;
};

}  // namespace dunlin::communities
