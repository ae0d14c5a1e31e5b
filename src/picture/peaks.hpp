// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "picture/lattice.hpp"

namespace dunlin::picture {

/// A density peak of the points of a label.
struct LabelPeak {
    Index label;
    std::array<double, 3> place;  ///< in map units
    double prominence;            ///< points per smoothed cell
    double span;                  ///< longest side of the box of the points near it, in map units
};

/// The peaks (label_grid.hpp) of each of the 1,000 largest labels, most prominent first, on a grid of 32, 64 or 128
/// cells per axis (a quarter in space) for up to 1,000, 20,000 and more points. A peak lies at the mean of the points
/// within two cells of a maximum.
std::vector<LabelPeak> peaks_of(device::Cpu& cpu, const LatticePoints& points, std::span<const float> values,
                                const Labels& labels);

}  // namespace dunlin::picture
