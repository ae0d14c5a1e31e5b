// SPDX-License-Identifier: Apache-2.0
#include "parametric/units.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"

namespace dunlin::parametric {

DUNLIN_CLONES void activate(float* values, const float* biases, Index cols, Unit unit) {
    if (unit == Unit::logistic) {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] = logistic(values[c] + biases[c]);
    } else if (unit == Unit::relu) {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] = relu(values[c] + biases[c]);
    } else {
        DUNLIN_NO_OVERLAP
        for (Index c = 0; c < cols; ++c) values[c] += biases[c];
    }
}

DUNLIN_CLONES double soften(float* values, Index count) {
    float most = values[0];
    for (Index i = 1; i < count; ++i) most = std::max(most, values[i]);
    DUNLIN_NO_OVERLAP
    for (Index i = 0; i < count; ++i) values[i] = math::exp_of_negative(values[i] - most);
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    const auto scale = static_cast<float>(1 / sum);
    DUNLIN_NO_OVERLAP
    for (Index i = 0; i < count; ++i) values[i] *= scale;
    return static_cast<double>(most) + std::log(sum);
}

DUNLIN_CLONES void multiply_by_slope(float* delta, const float* outputs, Offset count, Unit unit) {
    if (unit == Unit::logistic) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) delta[i] = times_logistic_slope(delta[i], outputs[i]);
    } else if (unit == Unit::relu) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) delta[i] = times_relu_slope(delta[i], outputs[i]);
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
    for (Offset i = 0; i < count; ++i) states[i] = drawn_state(p[i], seed, first + i, draw);
}

DUNLIN_CLONES void add_noise(float* values, Index cols, float deviation, std::uint64_t seed, Offset first,
                             std::uint64_t draw) {
    DUNLIN_NO_OVERLAP
    for (Index c = 0; c < cols; ++c) values[c] += noise_of(deviation, seed, first + c, draw);
}

DUNLIN_CLONES void add_difference(float* values, Index cols, float share, const float* to, const float* from) {
    DUNLIN_NO_OVERLAP
    for (Index c = 0; c < cols; ++c) values[c] += share * (to[c] - from[c]);
}

DUNLIN_CLONES void normalize(const float* x, const float* shift, float scale, Index cols, float* out) {
    DUNLIN_NO_OVERLAP
    for (Index c = 0; c < cols; ++c) out[c] = normalized(x[c], shift[c], scale);
}

DUNLIN_CLONES void ascend(float* values, float* change, const float* gradient, Offset count, float momentum, float rate,
                          float cost) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) ascend_one(values[i], change[i], gradient[i], momentum, rate, cost);
}

DUNLIN_CLONES void descend(float* values, float* mean, float* square, const float* gradient, Offset count, float rate,
                           float keep) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i) descend_one(values[i], mean[i], square[i], gradient[i], rate, keep);
}

}  // namespace dunlin::parametric
