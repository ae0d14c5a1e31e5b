#pragma once

#include <span>

#include "device/fft.hpp"

namespace dunlin::device {

/// The hot loops of Fft.
void fft_forward(std::span<const FftStage> stages, const float* twiddles, float* columns);
void fft_backward(std::span<const FftStage> stages, const float* twiddles, float* columns);

}  // namespace dunlin::device
