// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "math/at.hpp"

namespace dunlin::graph {

/// Concurrent union-find. A root is only linked to a smaller root, so the root of each component is its smallest
/// vertex, independent of the order of operations.
class Forest {
public:
    explicit Forest(Index n) : parent_(at(n)) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

    Index root(Index v) {
        for (Index above = up(v); above != v; above = up(v)) {
            const Index next = up(above);
            std::atomic_ref(parent_[at(v)]).store(next, std::memory_order_relaxed);  // path halving
            v = next;
        }
        return v;
    }

    void unite(Index a, Index b) {
        for (a = root(a), b = root(b); a != b; a = root(a), b = root(b)) {
            if (a < b) std::swap(a, b);
            Index still_a = a;
            if (std::atomic_ref(parent_[at(a)]).compare_exchange_strong(still_a, b, std::memory_order_relaxed)) return;
        }
    }

private:
    Index up(Index v) { return std::atomic_ref(parent_[at(v)]).load(std::memory_order_relaxed); }

    std::vector<Index> parent_;
};

}  // namespace dunlin::graph
