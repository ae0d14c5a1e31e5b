// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "device/aligned.hpp"

namespace dunlin::device {

/// Columns that are transformed together, one per lane of a vector register: no value ever crosses a lane.
constexpr int fft_lanes = 16;
/// Floats per element of a block of columns: the real parts of all lanes, then the imaginary parts.
constexpr int fft_element = 2 * fft_lanes;

/// One step of the transform: blocks of `length` elements are each split into `radix` blocks.
struct FftStage {
    int radix = 1;
    int length = 1;
    int twiddles = 0;  ///< where its factors begin: pairs (cos, sin) for each element of a part, for parts 1..radix-1
};

/// The discrete Fourier transform of 16 complex columns at once, in place. A block of columns holds
/// [length][real, imaginary][16] floats, aligned to 64 bytes. Frequencies come out in an order of their own (digits
/// reversed), which backward() takes: a product of spectra does not care.
class Fft {
public:
    /// length must be friendly().
    explicit Fft(int length);

    /// Whether length is a product of 2s, 3s and 5s.
    [[nodiscard]] static bool friendly(int length);

    [[nodiscard]] int length() const { return length_; }

    /// Where frequency k is found after forward().
    [[nodiscard]] std::span<const int> positions() const { return positions_; }

    /// X_k = sum over n of x_n exp(-2 pi i k n / length).
    void forward(float* columns) const;
    /// x_n = sum over k of X_k exp(+2 pi i k n / length): not divided by the length.
    void backward(float* columns) const;
    /// forward, every position p times the 16 values at factors + 16 * place[p], backward: all of it part by part in
    /// the first-level cache but for the outermost stages.
    void filter(float* columns, const float* factors, const int* place) const;

private:
    int length_;
    std::vector<FftStage> stages_;
    std::vector<int> positions_;
    AlignedBuffer<float> twiddles_;
};

}  // namespace dunlin::device
