// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Pivots by farthest-first traversal (Gonzalez 1985; of graphs: Ortmann, Klimenta and Brandes 2017): each is the item
/// farthest from its nearest pivot.
namespace dunlin::stress {

/// An item by its distance from the nearest pivot. A sum of several is the farthest; of equals the first.
struct Farthest {
    double delta = -1;
    double item = 0;
    DUNLIN_HD Farthest& operator+=(const Farthest& other) {
        if (other.delta > delta || (other.delta == delta && other.item < item)) *this = other;
        return *this;
    }
};

/// Updates the distances from the nearest pivot by those of the k-th. A pivot's is -1, so that it is not chosen again.
struct UpdateNearest {
    const float* delta;  ///< n x count
    Offset count, k;
    Index pivot;
    float* nearest;
    DUNLIN_HD Farthest operator()(Offset i) const {
        const float here = delta[i * count + k];
        if (k == 0 || here < nearest[i]) nearest[i] = here;
        if (i == pivot) nearest[i] = -1;
        return {static_cast<double>(nearest[i]), static_cast<double>(i)};
    }
};

/// `count` pivots of n items, the first given; fills delta, n x count. distances_from(pivot, k) fills its column k.
template <class Exec, class DistancesFrom>
std::vector<Index> farthest_first(Exec& exec, Index n, Index count, Index first, float* delta,
                                  const DistancesFrom& distances_from) {
    typename Exec::template Buffer<float> nearest;
    typename Exec::template Cell<Farthest> farthest;
    exec.resize(nearest, static_cast<std::size_t>(n));
    std::vector<Index> pivots;
    for (Index k = 0; k < count; ++k) {
        pivots.push_back(k == 0 ? first : static_cast<Index>(exec.read(farthest).item));
        distances_from(pivots.back(), k);
        exec.sum(n, UpdateNearest{delta, count, k, pivots.back(), nearest.data()}, farthest);
    }
    return pivots;
}

}  // namespace dunlin::stress
