// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::picture {

/// Points of 2 or 3 dimensions rounded to a lattice that is equally fine along all axes, in Morton order. A cell number
/// has `code_bits + low_bits` bits: the high ones are interleaved in the code, the low ones are stored apart.
struct LatticePoints {
    int dim = 2, code_bits = 16, low_bits = 0;
    std::array<double, 3> origin{};
    double step = 1;                   ///< map units per cell
    std::vector<std::uint32_t> codes;  ///< ascending
    std::vector<Index> rows;           ///< rows[p]: the point at place p; points of one code in the order of the map

    /// Cell number of a coordinate.
    [[nodiscard]] std::uint32_t cell(float x, int axis) const;
};

/// Low bits of maps of n points: all 24 bits that a float has, of more than 2 million points 16 bits in total, so that
/// 10 million points fit into a page of 30 MB.
int low_bits_of(int dim, Offset n);

/// values: n x dim.
LatticePoints lattice_points(device::Cpu& cpu, std::span<const float> values, int dim);

}  // namespace dunlin::picture
