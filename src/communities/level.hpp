// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "math/at.hpp"

namespace dunlin::communities {

/// A weight as a whole number of units, so that sums do not depend on their order; all of them add up to below 2^52.
using Weight = std::int64_t;

/// Products of two sums of weights.
__extension__ using Wide = __int128;

/// The graph whose vertices are the communities of the level below: undirected, both directions listed, without loops.
struct WeightedLevel {
    std::vector<Offset> offsets{0};
    std::vector<Index> targets;
    std::vector<Weight> weights;  ///< above 0
    std::vector<Weight> masses;   ///< of a vertex: its weighted degree (modularity), the vertices in it (cpm)

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] Offset degree(Index v) const { return offsets[at(v) + 1] - offsets[at(v)]; }
    [[nodiscard]] Offset edges() const { return offsets.back(); }

    /// Begins to load the row of a vertex that is visited soon, its first 64 edges.
    void prefetch(Index v) const {
        constexpr Offset line = 64;
        const Offset first = offsets[at(v)], last = std::min(offsets[at(v) + 1], first + line);
        for (Offset e = first; e < last; e += line / Offset{sizeof(Index)}) __builtin_prefetch(targets.data() + e);
        for (Offset e = first; e < last; e += line / Offset{sizeof(Weight)}) __builtin_prefetch(weights.data() + e);
        __builtin_prefetch(masses.data() + v);
    }

    /// Begins to load the values of the first 64 targets of a vertex.
    void prefetch_of_targets(Index v, const std::vector<Index>& values) const {
        const Offset first = offsets[at(v)], last = std::min(offsets[at(v) + 1], first + 64);
        for (Offset e = first; e < last; ++e) __builtin_prefetch(values.data() + targets[at(e)]);
    }
};

}  // namespace dunlin::communities
