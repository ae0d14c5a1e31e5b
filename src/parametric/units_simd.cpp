// SPDX-License-Identifier: Apache-2.0
#include "parametric/units.hpp"

#include <algorithm>

#include "descent/steps.hpp"
#include "device/clones.hpp"
#include "math/rng.hpp"

namespace dunlin::parametric {

DUNLIN_CLONES void activate(float* values, const float* biases, Index cols, Unit unit) {
    if (unit == Unit::logistic) {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] = logistic(values[c] + biases[c]);
    } else if (unit == Unit::relu) {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] = values[c] + biases[c] > 0 ? values[c] + biases[c] : 0.0F;
    } else {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] += biases[c];
    }
}

DUNLIN_CLONES void multiply_by_slope(float* delta, const float* outputs, Offset count, Unit unit) {
    if (unit == Unit::logistic) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) delta[i] *= outputs[i] * (1 - outputs[i]);
    } else if (unit == Unit::relu) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) delta[i] = outputs[i] > 0 ? delta[i] : 0.0F;
    }
}

DUNLIN_CLONES void sum_columns(const float* values, Index rows, Index cols, Index begin, Index end, float* sums) {
    constexpr Index width = 64;
    for (Index first = begin; first < end; first += width) {
        const Index here = std::min(width, end - first);
        double parts[width]{};
        for (Index r = 0; r < rows; ++r) {
            const float* row = values + Offset{r} * cols + first;
            for (Index c = 0; c < here; ++c) parts[c] += static_cast<double>(row[c]);
        }
        for (Index c = 0; c < here; ++c) sums[first + c] = static_cast<float>(parts[c]);
    }
}

DUNLIN_CLONES void draw_states(const float* p, Offset count, std::uint64_t seed, Offset first, std::uint64_t draw,
                               float* states) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) {
        const std::uint64_t bits = math::random_bits(seed, static_cast<std::uint64_t>(first + i), draw);
        const auto uniform = static_cast<float>(static_cast<std::int32_t>(bits >> 40)) * 0x1.0p-24F;
        states[i] = uniform < p[i] ? 1.0F : 0.0F;
    }
}

DUNLIN_CLONES void normalize(const float* x, const float* shift, float scale, Index cols, float* out) {
    DUNLIN_NO_OVERLAP
    for (Index c = 0; c < cols; ++c) out[c] = (x[c] - shift[c]) * scale;
}

DUNLIN_CLONES void ascend(float* values, float* change, const float* gradient, Offset count, float momentum, float rate,
                          float cost) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) {
        change[i] = momentum * change[i] + rate * (gradient[i] - cost * values[i]);
        values[i] += change[i];
    }
}

DUNLIN_CLONES void descend(float* values, float* mean, float* square, const float* gradient, Offset count, float rate,
                           float keep) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) {
        values[i] *= keep;
        descent::AdamStep::move(values[i], mean[i], square[i], gradient[i], rate);
    }
}

}  // namespace dunlin::parametric
