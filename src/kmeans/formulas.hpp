// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/direction.hpp"
#include "math/hd.hpp"

/// The formulas of k-means. No loops over points, no launches: g++ and nvcc compile the same text.
namespace dunlin::kmeans {

/// Coordinates are added as integers, so that a sum is exact and has no order: it can be taken in any number of parts,
/// and a point that changes its cluster is taken from one sum and added to another.
using Sum = std::int64_t;

/// value * scale rounded to an integer; |value * scale| < 2^51. Adding 1.5 * 2^52 leaves the integer in the low bits.
DUNLIN_HD inline Sum to_integer(double value, double scale) {
    constexpr double round_here = 6755399441055744.0;
    return std::bit_cast<Sum>(value * scale + round_here) - std::bit_cast<Sum>(round_here);
}

/// The power of two by which numbers up to `most`, `count` of them, may be multiplied before they are added as
/// integers: no number reaches 2^51 and no sum 2^62.
DUNLIN_HD inline double integer_scale(double most, Offset count) {
    if (most <= 0) return 1;
    const int bits = std::min(50, 61 - std::ilogb(static_cast<double>(count)) - 1);
    return std::ldexp(1.0, bits - std::ilogb(most) - 1);
}

/// The same where the sum of all magnitudes is known, to 2^-20 of itself: what is large may be so in few numbers, and
/// leaves the others their bits. No number reaches 2^51, and no sum 2^62 though rounding adds a half to each of
/// `count`.
DUNLIN_HD inline double integer_scale(double most, double magnitudes, Offset count) {
    if (most <= 0) return 1;
    const double all = magnitudes * (1 + 0x1p-20);
    const double scale = std::ldexp(1.0, std::min(50 - std::ilogb(most), 61 - std::ilogb(all)));
    return all * scale + static_cast<double>(count) < 0x1p62 ? scale : scale / 2;
}

/// sum + (x - c)^2, each operation rounded: the same bits on all devices.
DUNLIN_HD inline double add_square(double sum, float x, float c) {
    const double apart = static_cast<double>(x) - static_cast<double>(c);
#if defined(__CUDA_ARCH__)
    return __dadd_rn(sum, __dmul_rn(apart, apart));
#else
    return sum + apart * apart;
#endif
}

/// What a row adds to the inertia: the product rounded before it is added anywhere.
DUNLIN_HD inline double inertia_of_row(double weight, double squared_distance) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(weight, squared_distance);
#else
    return weight * squared_distance;
#endif
}

/// |x - y|^2 in double, in the order of columns.
DUNLIN_HD inline double squared_distance_of(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum = add_square(sum, x[c], y[c]);
    return sum;
}

/// The definition of nearest: the least of these squared distances to k centroids, ties to the lower number.
DUNLIN_HD inline Index nearest_of(const float* x, Index cols, const float* centroids, Index k) {
    double best = squared_distance_of(x, centroids, cols);
    Index label = 0;
    for (Index c = 1; c < k; ++c) {
        const double distance = squared_distance_of(x, centroids + Offset{c} * cols, cols);
        if (distance < best) best = distance, label = c;
    }
    return label;
}

/// Scales a row to length 1; a row without direction (zeros) stays as it is.
DUNLIN_HD inline void scale_to_unit(float* row, Index cols) {
    double squares = 0;
    for (Index c = 0; c < cols; ++c) squares = add_square(squares, row[c], 0);
    const double scale = math::inverse_length(squares);
    if (scale == 0) return;
    for (Index c = 0; c < cols; ++c) row[c] = static_cast<float>(static_cast<double>(row[c]) * scale);
}

/// A sum of `cols` squared differences in float32 is off by less than this share of itself, whatever its order.
DUNLIN_HD inline float float_error(Index cols) { return static_cast<float>(cols + 8) * 0x1p-24F; }

/// Whether float32 can tell which of two squared distances is smaller; if not, double has to.
DUNLIN_HD inline bool is_close(float best, float second, float error) {
    return second <= best * (1 + 3 * error) + 1e-30F;
}

/// Lowers `least` to the square of how far every centroid may move before another than a row's own can be as near, from
/// the squared distances to the best two in float32. That is half of what the second is farther,
///     (sqrt(second) - sqrt(best)) / 2 >= (second - best) / (4 sqrt(second)),
/// less rounding; 0 where float32 cannot say, or reach. Floats or vectors of them, which must stay in registers. After
/// Hamerly, Making k-means even faster (2010).
template <class Real>
[[gnu::always_inline]] DUNLIN_HD inline void lower_hamerly_bound(Real& least, const Real& best, const Real& second,
                                                                 float error) {
    const Real reached = second < 1e37F ? second : Real{};
    const Real apart = reached * (1 - 4 * error) - best * (1 + 4 * error), more = apart > 0 ? apart : Real{};
    const Real divisor = 16 * reached + 1e-30F;
#if defined(__CUDA_ARCH__)
    const Real square = more * __fdividef(more, divisor);  // off by two units at most; 0 for divisors beyond 2^126
#else
    const Real square = more * (more / divisor);
#endif
    least = square < least ? square : least;
}

/// How far centroids must have come for a row to be looked at again, whose patience is this squared, now that they have
/// come so far; never too far. 1e-15 is more than what is lost of squares below 1e-30.
DUNLIN_HD inline float expiry_of(float squared_patience, double drift) {
    const double expiry = drift + static_cast<double>(std::sqrt(squared_patience)) * (1 - 1e-6) - 1e-15;
#if defined(__CUDA_ARCH__)
    return __double2float_rd(expiry);
#else
    const auto nearest = static_cast<float>(expiry);
    return static_cast<double>(nearest) > expiry ? std::nextafter(nearest, -INFINITY) : nearest;
#endif
}

/// How the centroids moved.
struct Movement {
    double squares = 0;   ///< the sum of the squared moves
    double farthest = 0;  ///< the square of the longest

    /// What to add to the drift: the longest move, not less.
    DUNLIN_HD double drift() const { return std::sqrt(farthest) * (1 + 1e-12); }
};

/// The same of two sums in double whose columns were not added one after another.
DUNLIN_HD inline bool is_close(double best, double second, Index cols) {
    return second <= best * (1 + static_cast<double>(cols + 8) * 0x1p-50);
}

/// The mean of what was added: a column's sum and the sum of weights, each with its scale.
DUNLIN_HD inline float mean_of(Sum sum, double scale, Sum weight, double weight_scale) {
    return static_cast<float>((static_cast<double>(sum) / scale) / (static_cast<double>(weight) / weight_scale));
}

}  // namespace dunlin::kmeans
