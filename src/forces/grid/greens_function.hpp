// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "forces/grid/convolution.hpp"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// What a law becomes on a grid: its potential (mass) between nodes, as the eigenvalues of its convolution, with the
/// B-splines of spreading and gathering divided out. The potential is shifted by its least value and scaled to [0, 1],
/// so that neither far points (mass near 0) nor near ones (mass near 1) lose digits.
struct GreensFunction {
    device::AlignedBuffer<float> values;  ///< as GridConvolution reads them
    double scale = 0;                     ///< mass = scale * value + floor
    double floor = 0;
    double self = 0;  ///< value of a point with itself, on average over where it lies in its cell
};

template <class Law>
GreensFunction make_greens_function(device::Cpu& cpu, const GridConvolution& convolution, Law law = {});

/// Squared distances between nodes 0..nodes apart along each axis, in units of y: true up to the reach, then bent
/// smoothly towards a level place at `nodes`, where the kernel meets its mirror image. A zero beyond dim.
std::array<std::vector<double>, 3> squared_distances(const GridShape& shape);

/// Factors of an axis' modes 0..nodes: the splines divided out and the 2 * nodes of the backward transform; and how
/// often a mode occurs times what the splines make of a point's own value.
struct AxisFactors {
    std::vector<double> deconvolution{1}, self{1};
};
AxisFactors axis_factors(int nodes);

}  // namespace dunlin::forces
