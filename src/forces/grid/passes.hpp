// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "forces/grid/convolution.hpp"

namespace dunlin::forces {

/// Inner loops of GridConvolution. Each processes 16 columns or rows at a time; scratch: two blocks of columns.
constexpr int grid_lanes = numerics::fft_lanes;

/// Values of 32 adjacent columns along the slowest axis, in the grid's layout; b is null if there are only 16.
struct RealColumns {
    float *a, *b;
    std::ptrdiff_t stride;
};

/// Modes 0..nodes of these columns: [mode * stride][real, imaginary][16].
struct ModeColumns {
    float *a, *b;
    std::ptrdiff_t stride;
};

void to_modes(const GridAxis& axis, const RealColumns& from, const ModeColumns& to, float* scratch);
void from_modes(const GridAxis& axis, const ModeColumns& from, const RealColumns& to, float* scratch);

/// Forward transform of complex columns (elements `stride` floats apart) into even and odd modes, and its inverse.
void split_parities(const GridAxis& axis, const float* values, float* even, float* odd, std::ptrdiff_t stride,
                    float* scratch);
void join_parities(const GridAxis& axis, const float* even, const float* odd, float* values, std::ptrdiff_t stride,
                   float* scratch);

/// Convolves 16 complex rows along x, [x / 16][real, imaginary][16], `stride` floats apart, each with its own Green's
/// function: greens_function[mode][16].
void convolve_rows(const GridAxis& axis, float* rows, std::ptrdiff_t stride, const float* greens_function,
                   float* scratch);

/// Cosine transform (DCT-I) in place of 32 real columns of nodes + 1 values, [value][two halves][16]: the Fourier
/// transform of their even extension, modes 0..nodes.
void cosine_transform(const GridAxis& axis, float* columns, float* scratch);

}  // namespace dunlin::forces
