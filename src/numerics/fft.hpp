// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "device/aligned.hpp"

namespace dunlin::numerics {

/// Columns that are transformed together, one per SIMD lane; no value crosses lanes.
constexpr int fft_lanes = 16;
/// Floats per element of a block of columns: the real parts of all lanes, then the imaginary parts.
constexpr int fft_element = 2 * fft_lanes;

/// One step of the transform: blocks of `length` elements are each split into `radix` blocks.
struct FftStage {
    int radix = 1;
    int length = 1;
    int twiddles =
        0;  ///< index of its first twiddle factor: pairs (cos, sin) for each element of a part, for parts 1..radix-1
};

/// In-place discrete Fourier transform of 16 complex columns at once. A block of columns holds [length][real,
/// imaginary][16] floats, aligned to 64 bytes. Frequencies are in digit-reversed order, which backward() expects;
/// products of spectra do not need another order.
class Fft {
public:
    /// length must be friendly().
    explicit Fft(int length);

    /// Whether length is a product of 2s, 3s and 5s.
    [[nodiscard]] static bool friendly(int length);

    [[nodiscard]] int length() const { return length_; }

    /// Position of frequency k after forward().
    [[nodiscard]] std::span<const int> positions() const { return positions_; }

    /// X_k = sum over n of x_n exp(-2 pi i k n / length).
    void forward(float* columns) const;
    /// x_n = sum over k of X_k exp(+2 pi i k n / length): not divided by length.
    void backward(float* columns) const;
    /// Convolution: forward, product of every position p with the 16 values at factors + 16 * place[p], backward. All
    /// but the outermost stages run part by part in the L1 cache.
    void filter(float* columns, const float* factors, const int* place) const;

private:
    int length_;
    std::vector<FftStage> stages_;
    std::vector<int> positions_;
    device::AlignedBuffer<float> twiddles_;
};

}  // namespace dunlin::numerics
