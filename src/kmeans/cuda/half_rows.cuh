// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_rows.cuh"
#include "kmeans/cuda/state.cuh"

/// Rows and centroids in half precision, for the tensor cores, with their rounding errors. Coordinates in the frame are
/// at most 2^14.
namespace dunlin::kmeans {

constexpr Index row_tile = 256;                 ///< rows are padded to a multiple of this,
constexpr Index score_tile = distance::b_tile;  ///< centroids of this

/// Zeros beside the n rows and their columns.
struct HalfPoints : distance::HalfRows {
    device::CudaBuffer<float> lengths;  ///< |x'|, rounded up
};

/// Also the centroids in float32, column after column (cols x padded).
struct HalfCentroids : distance::HalfRows {
    device::CudaBuffer<float> biases;  ///< -|c'|^2 / 2; very negative where there is no centroid
    device::CudaBuffer<float> columns;
    device::CudaBuffer<float> lengths;  ///< upper bounds of |c'| and of the length of its halves
    Index padded = 0;
};

/// Bound of the rounding error of a score's sum, relative to its largest terms: 2^-19 for each step of 16 columns on
/// the tensor cores, 2^-24 for each addition in float32. 12 more steps cover the four bits of a score that are replaced
/// by its column's number (2^-19 of the score; of a score of 0 its least bits) and roundings that happen once.
[[nodiscard]] DUNLIN_HD inline float score_slack(Index steps, Index additions) {
    return static_cast<float>(steps + 12) * 0x1p-19F + static_cast<float>(additions) * 0x1p-24F;
}

/// Bound of the difference between x.c - |c|^2 / 2 of halves, as the tensor cores sum it, and that of x' and c'.
[[nodiscard]] DUNLIN_HD inline float score_error(float error_x, float length_x, float error_c, float length_c,
                                                 float slack) {
    return (error_x * length_c + length_x * error_c + slack * (length_x + length_c) * length_c) * 1.0001F + 1e-30F;
}

void round_rows(device::Cuda& cuda, const DeviceState& state, const distance::HalfFrame& frame, HalfPoints& rows);

/// Allocates; then rounds the current centroids, once an iteration.
void prepare_centroids(device::Cuda& cuda, const DeviceState& state, HalfCentroids& centroids);
void round_centroids(device::Cuda& cuda, const DeviceState& state, const distance::HalfFrame& frame,
                     HalfCentroids& centroids);

}  // namespace dunlin::kmeans
