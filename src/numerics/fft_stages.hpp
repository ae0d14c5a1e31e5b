// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "numerics/fft.hpp"

namespace dunlin::numerics {

/// Inner loops of Fft.
void fft_forward(std::span<const FftStage> stages, const float* twiddles, float* columns);
void fft_backward(std::span<const FftStage> stages, const float* twiddles, float* columns);
void fft_filter(std::span<const FftStage> stages, const float* twiddles, float* columns, const float* factors,
                const int* place);

}  // namespace dunlin::numerics
