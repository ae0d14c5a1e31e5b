// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "forces/grid/convolution.hpp"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// Green's function of a law on a grid in Fourier space (influence function, Hockney and Eastwood 1988): transform of
/// its potential between nodes, divided by the transforms of the B-splines of spreading and gathering. The
/// potential is shifted by its minimum and scaled to [0, 1], so that neither far points (of t-SNE: mass near 0) nor
/// near ones (mass near 1) lose digits.
struct GreensFunction {
    device::AlignedBuffer<float> values;  ///< layout: GridConvolution::greens_rows
    double scale = 0;                     ///< potential = scale * value + floor
    double floor = 0;
    double self = 0;  ///< potential of a point on itself, averaged over its position in a cell
};

template <class Law>
GreensFunction make_greens_function(device::Cpu& cpu, const GridConvolution& convolution, Law law = {});

/// Squared distances between nodes 0..nodes apart along each axis, in units of y. Exact up to GridShape::reach, then
/// folded smoothly to zero slope at `nodes`, where the kernel meets its mirror image. {0} for axes beyond dim.
std::array<std::vector<double>, 3> squared_distances(const GridShape& shape);

/// Factors of the modes 0..nodes of an axis. deconvolution: 1 / (spline^2 * 2 * nodes), which includes the scale of the
/// backward transform. self: multiplicity of the mode times the spline factor of a point's potential on itself.
struct AxisFactors {
    std::vector<double> deconvolution{1}, self{1};
};
AxisFactors axis_factors(int nodes);

}  // namespace dunlin::forces
