// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp16.h>

#include "math/hd.hpp"
#include "neighbors/cuda/coded_rows.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Where rows are moved to and scaled by before they are rounded. Distances between rows of the frame are `scale`
/// times those of the metric's rows.
struct DeviceFrame {
    device::CudaBuffer<double> middle;  ///< per column
    double scale = 1;
};

/// Rows are taken within this distance of the middle, and no longer than this do halves and their products overflow.
/// What lies beyond is moved to the ball's rim, which brings no two rows further apart.
constexpr double frame_radius = 8192;
constexpr float farthest_reach = 11000;  ///< what can be asked of the sieve

/// The middle (mean of the middle half of each column) and the scale (a power of two) that suit a sample of rows: what
/// lies up to `room` times as far out as nine rows in ten is within the frame's radius. Outliers beyond do not blur the
/// rest; their own neighbors are found by differences. Waits for the device.
DeviceFrame find_frame(device::Cuda& cuda, const DeviceRows& sample, double room = 16);
constexpr Index most_sampled = 1024;
constexpr double room_of_cells = 64;  ///< cells hold rows of the haze around them too

/// Rows of the frame in halves, each with seven columns beside its own, laid out so that one product of a query's row
/// and a base's row answers whether the two may be neighbors. With x and y the halves, e the distance by which
/// rounding moved a row, and `reach` how far from the query's halves the halves of its neighbors can be, beside e_y:
///
///     product = x.y + V_x + V_y + reach e_y >= ((reach + e_y)^2 - |x - y|^2) / 2
///     V_x = reach^2 / 2 - |x|^2 / 2 + slack_x,  V_y = e_y^2 / 2 - |y|^2 / 2 + slack_y
///
/// so a negative product proves that the rows are farther apart. The slack is what the tensor cores' sums may lose.
/// Columns cols .. cols + 6 are (c, c, c, reach, V_x / c in three halves) of a query and
/// (V_y / c in three halves, e_y, c, c, c) of the base, c = 1024.
struct HalfRows {
    device::CudaBuffer<__half> values;  ///< padded x width
    device::CudaBuffer<float> errors;   ///< e, rounded up; in the base to a half
    device::CudaBuffer<float> squares;  ///< |x|^2
    const Index* items = nullptr;       ///< which row lies at a place, below 0: none; null: row i at place i
    device::CudaBuffer<float> most;     ///< the largest error and the largest of |x|^2
    Index count = 0, padded = 0, width = 0, cols = 0;
    double slack = 0;  ///< sketch_slack on this GPU
};

constexpr Index tail_columns = 7;
constexpr Index sketch_chunk = 64;  ///< columns that are taken at once
[[nodiscard]] constexpr Index sketch_width(Index cols) {
    return (cols + tail_columns + sketch_chunk - 1) / sketch_chunk * sketch_chunk;
}
/// What a product may lose, and the slack is, of |x|^2 + |y|^2 + reach^2 + e^2: a step over 16 columns loses at most
/// `step` of the largest term or sum. Tensor cores align 16 products and the sum so far to the largest of them and cut
/// off what lies lower than two bits (Hopper) beyond float32's last, none, and 4 products at a time, on the first ones
/// (Fasi, Higham, Mikaitis and Pranesh 2021; Li et al. 2024), which is taken for all others.
[[nodiscard]] DUNLIN_HD constexpr double sketch_slack(Index width, double step) { return (width / 16 + 8) * step / 2; }
constexpr double hopper_step = 0x1p-20, any_step = 0x1p-18;

/// Bytes of a row.
[[nodiscard]] std::uint64_t sketch_bytes(Index cols);

/// Rows padded to a multiple of this.
constexpr Index base_tile = 128, query_tile = 256;
[[nodiscard]] constexpr Index tiles_of(Index rows) { return (rows + base_tile - 1) / base_tile; }

/// order = rows [0, count) shuffled, so that the first are a random sample; padded by -1 to whole tiles.
void order_base(device::Cuda& cuda, Index count, device::CudaBuffer<Index>& order);
/// Sketches the rows as base, in this order, which must stay; below 0: no row, which is near nothing.
void sketch_base(device::Cuda& cuda, const DeviceRows& rows, const device::CudaBuffer<Index>& order,
                 const DeviceFrame& frame, HalfRows& sketch);
/// What codes stand for.
void sketch_base(device::Cuda& cuda, const CodedRows& rows, const device::CudaBuffer<Index>& order,
                 const DeviceFrame& frame, HalfRows& sketch);
/// Sketches `count` queries that reach nothing yet but score every row as if their reach were 0: rows which[0 ..
/// count), below 0: no row, which reaches nothing; null: the first.
void sketch_queries(device::Cuda& cuda, const DeviceRows& rows, const Index* which, Index count,
                    const DeviceFrame& frame, HalfRows& sketch);

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

/// A row that no query or base row comes near.
constexpr double never = -65504.0 * static_cast<double>(tail_unit);

/// Writes a query's own columns for this reach, at most farthest_reach; returns the reach as rounded (up).
__device__ inline float set_reach(__half* tail, double reach, double square, double slack) {
    const __half rounded = __float2half_ru(__double2float_ru(reach));
    const double r = static_cast<double>(__half2float(rounded));
    tail[3] = rounded;
    split_in_three(r * r * (0.5 + slack) - square * (0.5 - slack) + 0x1p-13, tail + 4);
    return static_cast<float>(r);
}

/// Rounding moved no row of the base by more than this share of its length, and `least` for each column: each half is
/// rounded, and e_y up.
constexpr double most_moved = 1.004 * 0x1p-11, least_moved = 0x1p-22;

/// How far halves y can be from a query's, x with |x|^2 = square, if |x - y| <= reach + e_y, where e_y is no more than
/// most_error, nor than what rounding moves a row of length |x| + |x - y|.
__device__ inline double farthest_halves(double reach, double square, double most_error, Index cols) {
    const double moved = most_moved * sqrt(square) + least_moved * sqrt(static_cast<double>(cols));
    return fmin(reach + most_error, (reach + moved) * (1 + 2 * most_moved));
}

/// How far rounding moved, at most, a row of the base whose halves are this far from a query's.
__device__ inline double farthest_moved(double distance, double square, double most_error, Index cols) {
    const double length = sqrt(square) + distance;
    return fmin(most_error,
                (most_moved * length + least_moved * sqrt(static_cast<double>(cols))) * (1 + 2 * most_moved));
}

}  // namespace dunlin::neighbors
