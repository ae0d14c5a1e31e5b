// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"

/// The formulas of coarsening, for both devices.
namespace dunlin::graph {

/// Who stays before whom: higher degrees first, by powers of two; among equals by lot, among those the higher number.
DUNLIN_HD inline std::uint32_t luby_priority(Offset degree, Index vertex, std::uint64_t seed) {
    std::uint32_t width = 0;  // bits; std::bit_width compiles for a GPU, and is wrong there
    for (Offset left = degree; left > 0; left /= 2) ++width;
    const auto lot = static_cast<std::uint32_t>(math::random_bits(seed, static_cast<std::uint64_t>(vertex)) >> 38);
    return (width < 63 ? width : 63) << 26 | lot;
}

/// How far a vertex is from the one it joined, along the edge between them; zero for those that stay.
struct PathToRoot {
    float length = 0, resistance = 0;
};

/// An edge between two roots, through an edge between their clusters: lengths and resistances in series add up.
struct CoarseEdge {
    float length, strength;
};
DUNLIN_HD inline CoarseEdge coarse_edge_through(const PathToRoot& from, float length, float strength, const PathToRoot& to) {
    return {from.length + length + to.length, 1 / (from.resistance + 1 / strength + to.resistance)};
}

}  // namespace dunlin::graph
