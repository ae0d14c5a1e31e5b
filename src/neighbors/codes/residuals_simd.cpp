// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/residuals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "device/clones.hpp"

namespace dunlin::neighbors {

DUNLIN_CLONES
ResidualExtent residual_extent(const float* row, const float* center, Index dims) {
    std::uint32_t most = 0;  // as bits: a maximum of floats, which may be NaN, is not vectorized
    float squares = 0;
    for (Index c = 0; c < dims; ++c) {
        const float difference = row[c] - center[c];
        most = std::max(most, std::bit_cast<std::uint32_t>(std::abs(difference)));
        squares += difference * difference;
    }
    return {std::bit_cast<float>(most), squares};
}

DUNLIN_CLONES
std::int32_t quantize_residual(const float* row, const float* center, float scale, Index dims, std::int8_t* out) {
    std::int32_t sum = 0;
    DUNLIN_NO_OVERLAP
    for (Index c = 0; c < dims; ++c) {
        const float byte = std::min(std::max((row[c] - center[c]) * scale, -127.0F), 127.0F);
        const int whole = static_cast<int>(byte + 128.5F) - 128;
        sum += whole;
        out[c] = static_cast<std::int8_t>(whole);
    }
    return sum;
}

}  // namespace dunlin::neighbors
