// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kmeans/rows.hpp"
#include "math/hd.hpp"

/// What `measure` (rows.hpp) finds out of a column, for all devices.
namespace dunlin::kmeans {

/// Statistics of a column over a block of rows. most: largest magnitude. heaviest, magnitudes: largest and sum of
/// weight * magnitude. sum, squares: weighted sums of differences to an origin and of their squares.
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

/// Statistics of the blocks of math::sum_block rows: [block * cols + column]. The rows of a block are added in order.
/// Throws Error{bad_input} for a number that cannot be used.
std::vector<ColumnStatistics> statistics_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin);

/// Weights of all rows together: their sum, and the scale for adding them as integers.
struct WeightTotals {
    Offset rows = 0;
    double sum = 0, scale = 1;
};
WeightTotals weight_totals(device::Cpu& cpu, const Rows& rows);
/// Totals from the sums of weights over blocks of math::sum_block rows and from the largest weight.
WeightTotals weight_totals(Offset rows, const std::vector<double>& blocks, double heaviest);

/// The scales by the statistics of each block, or of any other nodes of the tree of math/ordered_sum.hpp that are all
/// on one level: parts[node * cols + column].
Scales scales_of(device::Cpu& cpu, const WeightTotals& weights, const std::vector<double>& origin,
                 const std::vector<ColumnStatistics>& parts);
Scales scales_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin,
                 const std::vector<ColumnStatistics>& parts);

/// Throws Error{bad_input} for weights that are negative, not finite, all zero, or not as many as rows.
void check_weights(const Rows& rows);

/// A number of the data that cannot be used. row is -1 if there is none.
struct BadNumber {
    Offset row = -1, column = -1;
    double number = 0;
};
/// The first row with a weight that cannot be used; the first number that cannot.
BadNumber bad_weight(const Rows& rows);
BadNumber bad_number(const Rows& rows);

/// These throw Error{bad_input}: the weight of a row is negative or not finite, or no row has a weight above 0.
[[noreturn]] void fail_for_weight(Offset row, double weight);
[[noreturn]] void fail_for_no_weight();

/// The first row of nonzero weight. It is the origin of the sums of differences: a distant row of weight 0 would cost
/// them precision.
Offset first_weighted(const Rows& rows);

/// Throws Error{bad_input}: this number is no finite number of magnitude up to largest_number.
[[noreturn]] void fail_for_number(Offset row, Index column, float number);

}  // namespace dunlin::kmeans
