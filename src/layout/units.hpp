// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Conversion between map units and the methods' units: ideal edge lengths, origin at the center of the start.
struct Units {
    float length = 1;
    std::array<double, 3> center{};

    [[nodiscard]] double to_lengths(double map_coordinate, std::size_t axis) const {
        return (map_coordinate - center[axis]) / static_cast<double>(length);
    }
    [[nodiscard]] double to_map_units(double in_lengths, std::size_t axis) const {
        return in_lengths * static_cast<double>(length) + center[axis];
    }

    /// The given start, with free vertices jittered by a thousandth of a length, so that no two coincide; without a
    /// start, random positions with one square (cube) of one length per vertex.
    [[nodiscard]] Map to_lengths(const Given& given, Index n, int dim, std::uint64_t seed) const;

    /// Converts to map units; pinned vertices get exactly their start, but for those that acts moved or freed (marks;
    /// empty: none).
    void to_map_units(Map& map, const Given& given, std::span<const std::uint8_t> steered) const;
};

/// Scales a map so that the mean ratio of edge length to ideal length is 1 (`lengths`: ideal; empty: 1 each).
void scale_to_lengths(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths, Map& map);

Units units_of(const Given& given, float length);

/// Random positions, in lengths: the result of a run that was cancelled before it had a map.
inline Map random_layout(Index n, int dim, std::uint64_t seed) { return Units{}.to_lengths({}, n, dim, seed); }

}  // namespace dunlin::layout
