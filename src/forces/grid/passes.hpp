// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "forces/grid/convolution.hpp"

namespace dunlin::forces {

/// The hot loops of GridConvolution. Each works on 16 columns or rows at a time, in a scratch of two blocks of columns.
constexpr int grid_lanes = device::fft_lanes;

/// Values of 32 neighboring columns along the slowest axis, as they lie on the grid; b is null where there are 16.
struct RealColumns {
    float *a, *b;
    std::ptrdiff_t stride;
};

/// Their modes 0..nodes: [mode * stride][real, imaginary][16].
struct ModeColumns {
    float *a, *b;
    std::ptrdiff_t stride;
};

void to_modes(const GridAxis& axis, const RealColumns& from, const ModeColumns& to, float* scratch);
void from_modes(const GridAxis& axis, const ModeColumns& from, const RealColumns& to, float* scratch);

/// A complex axis, `stride` floats from element to element, as its even and its odd modes, and back.
void split_parities(const GridAxis& axis, const float* values, float* even, float* odd, std::ptrdiff_t stride,
                    float* scratch);
void join_parities(const GridAxis& axis, const float* even, const float* odd, float* values, std::ptrdiff_t stride,
                   float* scratch);

/// Sixteen complex rows of x, [x / 16][real, imaginary][16], `stride` floats apart: convolved with their 16 kernels,
/// whose spectra lie as [mode][16].
void convolve_rows(const GridAxis& axis, float* rows, std::ptrdiff_t stride, const float* greens_function,
                   float* scratch);

/// 32 real columns of nodes + 1 values, [value][two halves][16], and their mirror images beyond the ends: replaced by
/// their transform, the modes 0..nodes, which are real too.
void cosine_transform(const GridAxis& axis, float* columns, float* scratch);

}  // namespace dunlin::forces
