// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"

/// Formulas of coarsening, for both devices.
namespace dunlin::graph {

/// State of a vertex in the computation of the independent set.
enum class VertexState : std::uint8_t { open, root, member };

/// Priority in Luby's algorithm: the bit width of the degree, then random bits; ties are broken by the higher index.
DUNLIN_HD inline std::uint32_t luby_priority(Offset degree, Index vertex, std::uint64_t seed) {
    std::uint32_t width = 0;  // std::bit_width compiles for a GPU, but returns wrong values there
    for (Offset left = degree; left > 0; left /= 2) ++width;
    const auto random = static_cast<std::uint32_t>(math::random_bits(seed, static_cast<std::uint64_t>(vertex)) >> 38);
    return (width < 63 ? width : 63) << 26 | random;
}

/// Length and resistance of the edge from a vertex to its root; zero for roots.
struct PathToRoot {
    float length = 0, resistance = 0;
};

/// Edge between two roots through an edge between their clusters: lengths and resistances in series add.
struct CoarseEdge {
    float length, strength;
};
DUNLIN_HD inline CoarseEdge coarse_edge_through(const PathToRoot& from, float length, float strength,
                                                const PathToRoot& to) {
    return {from.length + length + to.length, 1 / (from.resistance + 1 / strength + to.resistance)};
}

}  // namespace dunlin::graph
