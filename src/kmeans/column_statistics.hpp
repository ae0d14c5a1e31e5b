// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kmeans/rows.hpp"
#include "math/hd.hpp"

/// What `measure` (rows.hpp) finds out of a column, for all devices.
namespace dunlin::kmeans {

/// Of a block of rows: the largest magnitude, the largest and the sum of weight * magnitude (heaviest, magnitudes), and
/// the weighted sums of differences to an origin and of their squares.
struct ColumnStatistics {
    double most = 0, heaviest = 0, magnitudes = 0, sum = 0, squares = 0;

    ColumnStatistics& operator+=(const ColumnStatistics& more) {
        most = std::max(most, more.most);
        heaviest = std::max(heaviest, more.heaviest);
        magnitudes += more.magnitudes;
        sum += more.sum;
        squares += more.squares;
        return *this;
    }
};

/// The statistics with one more row. No product is fused with a sum: the same bits on all devices.
[[nodiscard, gnu::always_inline]] DUNLIN_HD inline ColumnStatistics with_value(const ColumnStatistics& so_far, float x,
                                                                               double weight, double origin) {
    const double value = static_cast<double>(x), from = value - origin, weighted = weight * from;
    const double magnitude = fabs(value), heavy = weight * magnitude;
    const double most = so_far.most < magnitude ? magnitude : so_far.most;
    const double heaviest = so_far.heaviest < heavy ? heavy : so_far.heaviest;
#if defined(__CUDA_ARCH__)
    return {most, heaviest, __dadd_rn(so_far.magnitudes, heavy), __dadd_rn(so_far.sum, weighted),
            __dadd_rn(so_far.squares, __dmul_rn(weighted, from))};
#else
    return {most, heaviest, so_far.magnitudes + heavy, so_far.sum + weighted, so_far.squares + weighted * from};
#endif
}

/// The scales by the statistics of each block of math::sum_block rows: parts[block * cols + column].
Scales scales_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin,
                 const std::vector<ColumnStatistics>& parts);

/// Throws Error{bad_input} for weights that are negative, not finite, all zero, or not as many as rows.
void check_weights(const Rows& rows);

/// The first row of nonzero weight. It is the origin of the sums of differences: a distant row of weight 0 would cost
/// them precision.
Offset first_weighted(const Rows& rows);

/// Throws Error{bad_input}: this number is no finite number of magnitude up to largest_number.
[[noreturn]] void fail_for_number(Offset row, Index column, float number);

}  // namespace dunlin::kmeans
