// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "math/hd.hpp"

/// Zero vectors: the rule for cosine, correlation and unit rows on both devices.
///
/// The direction of a row of float32 numbers is the row (for correlation: minus its mean) divided by its length. A row
/// has no direction if and only if all its (centered) values are 0: a row of zeros, or for correlation a constant row.
/// No threshold is needed:
/// - The mean of a constant row is exact in double, in any order of summation: a sum of up to 2^29 equal numbers of 24
///   bits fits into 53 bits, and dividing it by their count gives the number back. All differences are 0.
/// - Of two numbers that differ, one is at least 2^-150 (half of the least float32) from any mean. Its square, 2^-300,
///   is above 0 in double. So a row whose values differ by one unit in the last place has a direction, as has a row of
///   denormal numbers. The direction is accurate, because values that close are multiples of one unit, whose sum is
///   exact.
/// - Squares of the largest float32, 2^256, do not overflow in double.
namespace dunlin::math {

/// 1 / sqrt(squared length); 0 if the squared length is 0 (no direction).
DUNLIN_HD inline double inverse_length(double square) { return square > 0 ? 1 / std::sqrt(square) : 0.0; }

/// Direction of a row: (x - mean) * scale per column; scale 0: no direction.
struct Direction {
    double mean = 0;
    double scale = 0;
};

/// stored: the numbers of a row of `cols` columns; those that are not stored are 0. centered: subtract the mean
/// (correlation). Do not call it where sums may be reordered or divisions replaced (_simd.cpp).
inline Direction direction_of(std::span<const float> stored, std::size_t cols, bool centered) {
    double sum = 0, square = 0;
    if (centered) {
        for (const float x : stored) sum += static_cast<double>(x);
    }
    const double mean = centered ? sum / static_cast<double>(cols) : 0.0;
    for (const float x : stored) {
        const double difference = static_cast<double>(x) - mean;
        square += difference * difference;
    }
    if (cols > stored.size()) square += static_cast<double>(cols - stored.size()) * mean * mean;
    return {mean, inverse_length(square)};
}
inline Direction direction_of(std::span<const float> row, bool centered) {
    return direction_of(row, row.size(), centered);
}

}  // namespace dunlin::math
