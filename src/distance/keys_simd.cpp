// SPDX-License-Identifier: Apache-2.0
#include "distance/keys.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "device/clones.hpp"

namespace dunlin::distance {

DUNLIN_CLONES
double squared_difference(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) {
        const double difference = static_cast<double>(x[c]) - static_cast<double>(y[c]);
        sum += difference * difference;
    }
    return sum;
}

DUNLIN_CLONES
float squared_difference_in_floats(const float* x, const float* y, Index cols) {
    constexpr Index together = 64;  // four independent sums of 16 lanes hide the latency of additions
    float sums[together] = {};
    Index c = 0;
    for (; c + together <= cols; c += together) {
        for (Index i = 0; i < together; ++i) sums[i] += (x[c + i] - y[c + i]) * (x[c + i] - y[c + i]);
    }
    float sum = 0;
    for (; c < cols; ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
    for (const float part : sums) sum += part;
    return sum;
}

DUNLIN_CLONES
double absolute_difference(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum += std::abs(static_cast<double>(x[c]) - static_cast<double>(y[c]));
    return sum;
}

DUNLIN_CLONES
double inner_product(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(y[c]);
    return sum;
}

DUNLIN_CLONES
double squared_difference(const float* x, Affine of_x, const float* y, Affine of_y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) {
        const double a = (static_cast<double>(x[c]) - of_x.mean) * of_x.scale;
        const double b = (static_cast<double>(y[c]) - of_y.mean) * of_y.scale;
        sum += (a - b) * (a - b);
    }
    return sum;
}

DUNLIN_CLONES
bool all_finite(const float* x, Index cols) {
    std::uint32_t worst = 0;
    for (Index c = 0; c < cols; ++c) {
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x[c]) & 0x7fffffffU;
        worst = worst > magnitude ? worst : magnitude;
    }
    return worst < 0x7f800000U;
}

DUNLIN_CLONES
void count_row(const float* x, Index cols, RowStatistics& census) {
    float least = census.least, most = census.most;
    int broken = 0;
    for (Index c = 0; c < cols; ++c) {
        least = x[c] < least ? x[c] : least;
        most = x[c] > most ? x[c] : most;
        broken |= x[c] != std::trunc(x[c]) ? 1 : 0;
    }
    census.least = least;
    census.most = most;
    census.whole = census.whole && broken == 0;
}

DUNLIN_CLONES
void move_to_frame(const float* x, Affine of_x, const double* middle, double scale, double limit, Index cols,
                   float* out) {
    for (Index c = 0; c < cols; ++c) {
        const double v = ((static_cast<double>(x[c]) - of_x.mean) * of_x.scale - middle[c]) * scale;
        const double low = v < limit ? v : limit;
        out[c] = static_cast<float>(low > -limit ? low : -limit);
    }
}

}  // namespace dunlin::distance
