// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

namespace dunlin::graph {

/// A hash of an edge, with one sign upwards and the other downwards: over edges that all have their reverse the sum,
/// modulo 2^64, is 0. That of a vertex with itself is 0.
inline std::uint64_t hash_of_direction(Index from, Index to) {
    if (from == to) return 0;
    const auto low = static_cast<std::uint64_t>(std::min(from, to)),
               high = static_cast<std::uint64_t>(std::max(from, to));
    const std::uint64_t hash = math::mix(math::mix(low + 1) ^ high);
    return from < to ? hash : ~hash + 1;
}

}  // namespace dunlin::graph
