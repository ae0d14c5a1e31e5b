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
struct Peak {
    Index label;
    std::array<double, 3> place;  ///< in map units
    double prominence;            ///< points per smoothed cell
};

/// Topographic prominence of the maxima of a field on a grid of side^dim cells: the height of a maximum less that of
/// the highest saddle that leads to a higher one, 0 as the height of the surroundings. (0-dimensional persistence:
/// union-find over the cells in falling height; ties: the first cell.) Returns (cell, prominence), most prominent
/// first.
struct Prominence {
    Index cell;
    double value;
};
std::vector<Prominence> prominent_maxima(const std::vector<float>& heights, int side, int dim);

/// Up to three peaks (one for fewer than 200 points) for each of the 1,000 largest labels, among those with at least
/// half the prominence of the label's highest peak; most prominent first. The field is the number of the label's points
/// in the cells of a grid, of 32, 64 or 128 per axis (a quarter in space) for up to 1,000, 20,000 and more points,
/// smoothed over five cells. A peak lies at the mean of the points within two cells of a maximum.
std::vector<Peak> peaks_of(device::Cpu& cpu, const LatticePoints& points, std::span<const float> values,
                           const Labels& labels);

}  // namespace dunlin::picture
