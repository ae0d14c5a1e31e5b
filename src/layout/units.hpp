// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// From map units to those of the methods and back: ideal edge lengths about the start's center.
struct Units {
    float length = 1;
    std::array<double, 3> center{};

    /// The start that is given, with vertices that may move shaken by a thousandth of a length, so that no two of them
    /// share a place; else random positions that leave every vertex a square (cube) of one length.
    [[nodiscard]] Map enter(const Given& given, Index n, int dim, std::uint64_t seed) const;

    /// Back in map units; pinned vertices exactly where they were.
    void leave(Map& map, const Given& given) const;
};

/// Scales a map so that edges are, in the mean, as long as they should be (`lengths` of them; empty: 1 each).
void scale_to_lengths(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, Map& map);

Units units_of(const Given& given, float length);

/// Random positions of all vertices, in lengths: what is left of a run that was cancelled before it had a map.
inline Map scattered(Index n, int dim, std::uint64_t seed) { return Units{}.enter({}, n, dim, seed); }

}  // namespace dunlin::layout
