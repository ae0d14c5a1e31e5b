// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_rows.cuh"
#include "math/hd.hpp"
#include "neighbors/cuda/coded_rows.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Rows farther from the middle than this are moved towards it, to this distance, which brings no two rows further
/// apart. Halves and their products do not overflow within it. Distances between other rows are `scale` times those of
/// the metric's rows.
constexpr double frame_radius = 8192;
constexpr float farthest_reach = 11000;  ///< most that a query may search

/// The middle (mean of the middle half of each column) and the scale (a power of two) that suit a sample of rows: rows
/// up to `room` times as far out as the 90th percentile are within the frame's radius. Outliers beyond do not reduce
/// the others' accuracy; their own neighbors are found by differences. Waits for the device.
distance::HalfFrame find_frame(device::Cuda& cuda, const DeviceRows& sample, double room = 16);
constexpr Index most_sampled = 1024;
constexpr double room_of_cells = 64;  ///< cells contain outliers too

/// Half-precision rows, each with seven columns beside its own, so that one product of a query's row and a base row
/// decides whether the two may be neighbors. With x and y the halves, e the distance by which rounding moved a row, and
/// `reach` an upper bound of the distance between the query's halves and those of its neighbors, without e_y:
///
///     product = x.y + V_x + V_y + reach e_y >= ((reach + e_y)^2 - |x - y|^2) / 2
///     V_x = reach^2 / 2 - |x|^2 / 2 + slack_x,  V_y = e_y^2 / 2 - |y|^2 / 2 + slack_y
///
/// so a negative product proves that the rows are farther apart. The slack bounds the rounding of the tensor cores'
/// sums. Columns cols .. cols + 6 are (c, c, c, reach, V_x / c in three halves) of a query and
/// (V_y / c in three halves, e_y, c, c, c) of the base, c = 1024.
/// errors: e, in the base as it is stored, a half. most: the largest error and the largest of |x|^2.
struct FilterRows : distance::HalfRows {
    device::CudaBuffer<float> squares;  ///< |x|^2
    const Index* items = nullptr;       ///< row at each position, below 0: none; null: row i at position i
    Index count = 0, padded = 0, cols = 0;
    double slack = 0;  ///< product_slack on this GPU
};

constexpr Index tail_columns = 7;
[[nodiscard]] constexpr Index filter_width(Index cols) { return distance::half_width(cols + tail_columns); }
/// Bound of a product's rounding error, relative to |x|^2 + |y|^2 + reach^2 + e^2: a step over 16 columns loses at most
/// `step` of the largest term or sum. Tensor cores align 16 products and the sum so far to the largest of them and
/// truncate bits lower than two (Hopper) or none beyond float32's last; the first ones do so 4 products at a time
/// (Fasi, Higham, Mikaitis and Pranesh 2021; Li et al. 2024). All others are treated as the first ones.
[[nodiscard]] DUNLIN_HD constexpr double product_slack(Index width, double step) { return (width / 16 + 8) * step / 2; }
constexpr double hopper_step = 0x1p-20, any_step = 0x1p-18;

/// Bytes of a row.
[[nodiscard]] std::uint64_t filter_row_bytes(Index cols);

/// Rows padded to a multiple of this.
constexpr Index base_tile = distance::b_tile, query_tile = 256;
[[nodiscard]] constexpr Index tiles_of(Index rows) { return (rows + base_tile - 1) / base_tile; }

/// order = rows [0, count) shuffled, so that the first are a random sample; padded by -1 to whole tiles.
void order_base(device::Cuda& cuda, Index count, device::CudaBuffer<Index>& order);
/// Rounds base rows (DeviceRows, or CodedRows, which are decoded) in this order, which must outlive them; below 0: no
/// row, which passes no query's filter.
template <class Rows>
void round_base(device::Cuda& cuda, const Rows& rows, const device::CudaBuffer<Index>& order,
                const distance::HalfFrame& frame, FilterRows& base);
/// Rounds `count` queries, with reach 0: rows which[0 .. count), below 0: no row, which no base row reaches; null: the
/// first `count` rows.
void round_queries(device::Cuda& cuda, const DeviceRows& rows, const Index* which, Index count,
                   const distance::HalfFrame& frame, FilterRows& queries);

constexpr float tail_unit = 1024;

/// value = tail_unit times the sum of three halves, the last rounded up.
__device__ inline void split_in_three(double value, __half* parts) {
    value /= static_cast<double>(tail_unit);
    parts[0] = __double2half(value);
    value -= static_cast<double>(__half2float(parts[0]));
    parts[1] = __double2half(value);
    value -= static_cast<double>(__half2float(parts[1]));
    parts[2] = __float2half_ru(__double2float_ru(value));
}

/// V of no row: its products with all rows are negative.
constexpr double never = -65504.0 * static_cast<double>(tail_unit);

/// Writes a query's tail columns for this reach, at most farthest_reach; returns the reach as rounded up to a half.
__device__ inline float set_reach(__half* tail, double reach, double square, double slack) {
    const __half rounded = __float2half_ru(__double2float_ru(reach));
    const double r = static_cast<double>(__half2float(rounded));
    tail[3] = rounded;
    split_in_three(r * r * (0.5 + slack) - square * (0.5 - slack) + 0x1p-13, tail + 4);
    return static_cast<float>(r);
}

/// Rounding moves a base row by at most most_moved times its length plus least_moved for each column, e_y's own
/// rounding included.
constexpr double most_moved = 1.004 * 0x1p-11, least_moved = 0x1p-22;

/// Upper bound of the distance of halves y from a query's, x with |x|^2 = square, if |x - y| <= reach + e_y. e_y is at
/// most most_error, and at most what rounding moves a row of length |x| + |x - y|.
__device__ inline double farthest_halves(double reach, double square, double most_error, Index cols) {
    const double moved = most_moved * sqrt(square) + least_moved * sqrt(static_cast<double>(cols));
    return fmin(reach + most_error, (reach + moved) * (1 + 2 * most_moved));
}

/// Upper bound of the distance by which rounding moved a base row whose halves are this far from a query's.
__device__ inline double farthest_moved(double distance, double square, double most_error, Index cols) {
    const double length = sqrt(square) + distance;
    return fmin(most_error,
                (most_moved * length + least_moved * sqrt(static_cast<double>(cols))) * (1 + 2 * most_moved));
}

}  // namespace dunlin::neighbors
