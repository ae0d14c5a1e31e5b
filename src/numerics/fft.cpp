// SPDX-License-Identifier: Apache-2.0
#include "numerics/fft.hpp"

#include <cmath>
#include <numbers>

#include "numerics/fft_stages.hpp"

namespace dunlin::numerics {

namespace {

// Radix 8 needs the fewest passes over the columns; remaining factors of 2 come last, where parts are shortest
std::vector<FftStage> stages_of(int length) {
    std::vector<FftStage> stages;
    for (const int radix : {5, 8, 3, 4, 2}) {
        while (length % radix == 0) {
            stages.push_back({radix, length, 0});
            length /= radix;
        }
    }
    if (stages.empty()) stages.push_back({1, 1, 0});
    return stages;
}

// k mod radix selects the part of the first stage's split; the remaining digits the position in that part
int position_of(std::span<const FftStage> stages, int k) {
    int position = 0;
    for (const FftStage& stage : stages) {
        position += (k % stage.radix) * (stage.length / stage.radix);
        k /= stage.radix;
    }
    return position;
}

}  // namespace

bool Fft::friendly(int length) {
    if (length < 1) return false;
    for (const int prime : {2, 3, 5}) {
        while (length % prime == 0) length /= prime;
    }
    return length == 1;
}

Fft::Fft(int length) : length_(length), stages_(stages_of(length)), positions_(static_cast<std::size_t>(length)) {
    for (int k = 0; k < length; ++k) positions_[static_cast<std::size_t>(k)] = position_of(stages_, k);
    for (FftStage& stage : stages_) {
        stage.twiddles = static_cast<int>(twiddles_.size());
        for (int j = 0; j < stage.length / stage.radix; ++j) {
            for (int part = 1; part < stage.radix; ++part) {
                const double angle = -2 * std::numbers::pi * j * part / stage.length;
                twiddles_.push_back(static_cast<float>(std::cos(angle)));
                twiddles_.push_back(static_cast<float>(std::sin(angle)));
            }
        }
    }
}

void Fft::forward(float* columns) const { fft_forward(stages_, twiddles_.data(), columns); }
void Fft::backward(float* columns) const { fft_backward(stages_, twiddles_.data(), columns); }
void Fft::filter(float* columns, const float* factors, const int* place) const {
    fft_filter(stages_, twiddles_.data(), columns, factors, place);
}

}  // namespace dunlin::numerics
