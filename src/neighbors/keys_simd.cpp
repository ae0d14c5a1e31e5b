#include "neighbors/keys.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "device/clones.hpp"

namespace dunlin::neighbors {

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
double absolute_difference(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum += std::abs(static_cast<double>(x[c]) - static_cast<double>(y[c]));
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

}  // namespace dunlin::neighbors
