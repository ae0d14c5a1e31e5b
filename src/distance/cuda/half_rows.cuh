// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_tiles.cuh"

/// Rows rounded to half precision for the tensor cores, with the error of rounding, which bounds that of products.
namespace dunlin::distance {

/// Rows are centered and scaled before they are rounded: x' = (x - middle) * scale.
struct HalfFrame {
    device::CudaBuffer<double> middle;  ///< per column
    double scale = 1;                   ///< a power of two

    struct View {
        const double* middle;
        double scale;
        __device__ double operator()(double x, Index c) const { return (x - middle[c]) * scale; }
    };
    [[nodiscard]] View view() const { return {middle.data(), scale}; }
};

struct HalfRows {
    device::CudaBuffer<__half> values;  ///< padded rows x width; width is that of whole chunks
    device::CudaBuffer<float> errors;   ///< |x' - its halves|, rounded up
    device::CudaBuffer<float> most;     ///< the largest error and the largest magnitude, if they are kept
    Index width = 0;

    struct View {
        __half* values;
        float *errors, *most;
        Index width;
    };
    [[nodiscard]] View view() { return {values.data(), errors.data(), most.data(), width}; }

    void resize(device::Cuda& cuda, Offset padded, Index cols) {
        width = half_width(cols);
        cuda.resize(values, static_cast<std::size_t>(padded * width));
        cuda.resize(errors, static_cast<std::size_t>(padded));
    }
};

/// Sums of squares over columns of a row.
struct RoundedSquares {
    double error = 0;   ///< of what rounding changed
    double row = 0;     ///< before rounding
    double halves = 0;  ///< after
};

/// Rounds columns first, first + step, ... of a row; by a thread. value(c): of x'.
template <class Value>
__device__ RoundedSquares round_columns(const Value& value, __half* out, Index width, Index first, Index step) {
    RoundedSquares sum;
    for (Index c = first; c < width; c += step) {
        const double x = value(c);
        const __half rounded = __double2half(x);
        const double kept = static_cast<double>(__half2float(rounded)), lost = x - kept;
        out[c] = rounded;
        sum.error += lost * lost;
        sum.row += x * x;
        sum.halves += kept * kept;
    }
    return sum;
}

/// The sum over the lanes of a warp, for all lanes.
__device__ inline double sum_of_lanes(double value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    return value;
}

/// Raises *most to a value, both at least 0: their order is that of their bits.
__device__ inline void raise(float* most, float value) {
    if (value <= *static_cast<volatile float*>(most)) return;
    atomicMax(reinterpret_cast<int*>(most), __float_as_int(value));
}

}  // namespace dunlin::distance
