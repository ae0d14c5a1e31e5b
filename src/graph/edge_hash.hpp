// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

namespace dunlin::graph {

/// Hash of a directed edge; reverse edges have opposite values, so the sum modulo 2^64 is 0 if every edge has its
/// reverse. 0 for self-loops.
inline std::uint64_t hash_of_direction(Index from, Index to) {
    if (from == to) return 0;
    const auto low = static_cast<std::uint64_t>(std::min(from, to)),
               high = static_cast<std::uint64_t>(std::max(from, to));
    const std::uint64_t hash = math::mix(math::mix(low + 1) ^ high);
    return from < to ? hash : ~hash + 1;
}

}  // namespace dunlin::graph
