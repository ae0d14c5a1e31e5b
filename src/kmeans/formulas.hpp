// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/direction.hpp"
#include "math/hd.hpp"

/// The formulas of k-means, for g++ and nvcc; no loops over points, no launches.
namespace dunlin::kmeans {

/// Coordinates are added as integers, so that sums are exact and independent of the order: they can be split into any
/// parts, and a row that changes its cluster is subtracted from one sum and added to another.
using Sum = std::int64_t;

/// 1.5 * 2^52: a double of magnitude below 2^51 to which it is added has its nearest integer in the low bits.
constexpr double integer_shift = 0x1.8p52;

/// value * scale rounded to an integer; |value * scale| < 2^51.
DUNLIN_HD inline Sum to_integer(double value, double scale) {
    return std::bit_cast<Sum>(value * scale + integer_shift) - std::bit_cast<Sum>(integer_shift);
}

/// Power of two by which `count` numbers of magnitude up to `most` are multiplied before they are added as integers: no
/// number reaches 2^51 and no sum 2^62.
DUNLIN_HD inline double integer_scale(double most, Offset count) {
    if (most <= 0) return 1;
    const int bits = std::min(50, 61 - std::ilogb(static_cast<double>(count)) - 1);
    return std::ldexp(1.0, bits - std::ilogb(most) - 1);
}

/// Integer scale if the sum of all magnitudes is known with a relative error of 2^-20. Keeps more bits than the
/// function above if only a few numbers are large. No number reaches 2^51, and no sum 2^62, including the rounding
/// error of 1/2 per number.
DUNLIN_HD inline double integer_scale(double most, double magnitudes, Offset count) {
    if (most <= 0) return 1;
    const double all = magnitudes * (1 + 0x1p-20);
    const double scale = std::ldexp(1.0, std::min(50 - std::ilogb(most), 61 - std::ilogb(all)));
    return all * scale + static_cast<double>(count) < 0x1p62 ? scale : scale / 2;
}

/// sum + (x - c)^2, each operation rounded (no fused multiply-add): the same bits on all devices.
DUNLIN_HD inline double add_square(double sum, float x, float c) {
    const double difference = static_cast<double>(x) - static_cast<double>(c);
#if defined(__CUDA_ARCH__)
    return __dadd_rn(sum, __dmul_rn(difference, difference));
#else
    return sum + difference * difference;
#endif
}

/// A row's contribution to the inertia; the product is rounded before any addition.
DUNLIN_HD inline double inertia_of_row(double weight, double squared_distance) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(weight, squared_distance);
#else
    return weight * squared_distance;
#endif
}

/// |x - y|^2 in double, summed in the order of columns.
DUNLIN_HD inline double squared_distance_of(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum = add_square(sum, x[c], y[c]);
    return sum;
}

/// Nearest of k centroids by definition: the least squared_distance_of, ties to the lower number.
DUNLIN_HD inline Index nearest_of(const float* x, Index cols, const float* centroids, Index k) {
    double best = squared_distance_of(x, centroids, cols);
    Index label = 0;
    for (Index c = 1; c < k; ++c) {
        const double distance = squared_distance_of(x, centroids + Offset{c} * cols, cols);
        if (distance < best) best = distance, label = c;
    }
    return label;
}

/// Scales a row to length 1; a zero row stays unchanged.
DUNLIN_HD inline void scale_to_unit(float* row, Index cols) {
    double squares = 0;
    for (Index c = 0; c < cols; ++c) squares = add_square(squares, row[c], 0);
    const double scale = math::inverse_length(squares);
    if (scale == 0) return;
    for (Index c = 0; c < cols; ++c) row[c] = static_cast<float>(static_cast<double>(row[c]) * scale);
}

/// Bound of the relative error of a sum of `cols` squared differences in float32, in any order.
DUNLIN_HD inline float float_error(Index cols) { return static_cast<float>(cols + 8) * 0x1p-24F; }

/// Whether the order of two squared distances is uncertain in float32, so that double has to decide.
DUNLIN_HD inline bool is_close(float best, float second, float error) {
    return second <= best * (1 + 3 * error) + 1e-30F;
}

/// least = min(least, b^2), where b is Hamerly's bound (Making k-means even faster, 2010): while no centroid has moved
/// by more than b, the row's nearest centroid cannot change. From the squared distances to its best two in float32,
///     (sqrt(second) - sqrt(best)) / 2 >= (second - best) / (4 sqrt(second)) = b,
/// minus rounding errors; 0 if float32 cannot distinguish or represent them. Real: float or a SIMD vector, passed by
/// reference and inlined so that it stays in registers.
template <class Real>
[[gnu::always_inline]] DUNLIN_HD inline void lower_hamerly_bound(Real& least, const Real& best, const Real& second,
                                                                 float error) {
    const Real reached = second < 1e37F ? second : Real{};
    const Real apart = reached * (1 - 4 * error) - best * (1 + 4 * error), more = apart > 0 ? apart : Real{};
    const Real divisor = 16 * reached + 1e-30F;
#if defined(__CUDA_ARCH__)
    const Real square = more * __fdividef(more, divisor);  // error: 2 ulp; 0 for divisors above 2^126
#else
    const Real square = more * (more / divisor);
#endif
    least = square < least ? square : least;
}

/// Accumulated drift at which a bound, given squared and computed at this drift, expires; rounded down. 1e-15 exceeds
/// the rounding error of squares below 1e-30.
DUNLIN_HD inline float expiry_of(float squared_bound, double drift) {
    const double expiry = drift + static_cast<double>(std::sqrt(squared_bound)) * (1 - 1e-6) - 1e-15;
#if defined(__CUDA_ARCH__)
    return __double2float_rd(expiry);
#else
    const auto nearest = static_cast<float>(expiry);
    return static_cast<double>(nearest) > expiry ? std::nextafter(nearest, -INFINITY) : nearest;
#endif
}

/// Movement of the centroids in an iteration.
struct Movement {
    double squares = 0;   ///< sum of the squared moves
    double farthest = 0;  ///< square of the longest move

    /// Centroid drift of this iteration: the longest move, rounded up.
    DUNLIN_HD double drift() const { return std::sqrt(farthest) * (1 + 1e-12); }
};

/// is_close() for two sums in double that were not added in the order of columns.
DUNLIN_HD inline bool is_close(double best, double second, Index cols) {
    return second <= best * (1 + static_cast<double>(cols + 8) * 0x1p-50);
}

/// Mean of a column from its sum and the sum of weights, each with its scale.
DUNLIN_HD inline float mean_of(Sum sum, double scale, Sum weight, double weight_scale) {
    return static_cast<float>((static_cast<double>(sum) / scale) / (static_cast<double>(weight) / weight_scale));
}

}  // namespace dunlin::kmeans
