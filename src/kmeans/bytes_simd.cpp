// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "device/clones.hpp"
#include "kmeans/bytes_loops.hpp"

namespace dunlin::kmeans {

DUNLIN_CLONES
Rounded to_bytes(const float* row, Index cols, float scale, std::int8_t* bytes) {
    const float inverse = 1 / scale;
    float squares = 0, lost_squares = 0;
    std::int32_t sum = 0;
    for (Index c = 0; c < cols; ++c) {
        const float wanted = std::min(std::max(row[c] * inverse, -127.0F), 127.0F);
        const auto byte = static_cast<std::int32_t>(wanted + (wanted < 0 ? -0.5F : 0.5F));
        const float lost = row[c] - scale * static_cast<float>(byte);
        bytes[c] = static_cast<std::int8_t>(byte);
        squares += row[c] * row[c];
        lost_squares += lost * lost;
        sum += byte;
    }
    const float length = std::sqrt(squares) * 1.001F;
    return {length, std::sqrt(lost_squares) * 1.001F + 1e-6F * length, sum};
}

DUNLIN_CLONES
void subtract(const float* x, const float* y, Index cols, float* out) {
    for (Index c = 0; c < cols; ++c) out[c] = x[c] - y[c];
}

DUNLIN_CLONES
float product(const float* x, const float* y, Index cols) {
    float sum = 0;
    for (Index c = 0; c < cols; ++c) sum += x[c] * y[c];
    return sum;
}

DUNLIN_CLONES
float largest(const float* values, Offset count) {
    std::int32_t most = 0;  // bits of magnitudes are ordered like magnitudes; the integer maximum needs no NaN rule
    for (Offset i = 0; i < count; ++i) most = std::max(most, std::bit_cast<std::int32_t>(std::abs(values[i])));
    return std::bit_cast<float>(most);
}

}  // namespace dunlin::kmeans
