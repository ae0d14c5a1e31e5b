// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "math/at.hpp"

namespace dunlin::hierarchy {

/// Union-find with path halving and union by size.
class DisjointSets {
public:
    explicit DisjointSets(Index items) : parent_(at(items)), size_(at(items), 1) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    Index find(Index item) {
        while (parent_[at(item)] != item) {
            parent_[at(item)] = parent_[at(parent_[at(item)])];
            item = parent_[at(item)];
        }
        return item;
    }

    /// False if they are in one set already.
    bool join(Index a, Index b) {
        a = find(a);
        b = find(b);
        if (a == b) return false;
        if (size_[at(a)] < size_[at(b)]) std::swap(a, b);
        parent_[at(b)] = a;
        size_[at(a)] += size_[at(b)];
        return true;
    }

private:
    std::vector<Index> parent_, size_;
};

}  // namespace dunlin::hierarchy
