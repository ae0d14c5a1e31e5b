#pragma once

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "forces/grid_convolution.hpp"
#include "forces/grid_shape.hpp"

namespace dunlin::forces {

/// What a law becomes on a grid: its potential (mass) between nodes, as the eigenvalues of its convolution, with the
/// B-splines of spreading and gathering divided out. The potential is shifted by its least value and scaled to [0, 1],
/// so that neither far points (mass near 0) nor near ones (mass near 1) lose digits.
struct GridSpectrum {
    device::AlignedBuffer<float> values;  ///< as GridConvolution reads them
    double scale = 0;                     ///< mass = scale * value + floor
    double floor = 0;
    double self = 0;  ///< value of a point with itself, on average over where it lies in its cell
};

template <class Law>
GridSpectrum grid_spectrum(device::Cpu& cpu, const GridConvolution& convolution);

}  // namespace dunlin::forces
