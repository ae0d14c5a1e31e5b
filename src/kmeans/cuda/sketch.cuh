// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp16.h>

#include "kmeans/cuda/state.cuh"

/// Rows and centroids in halves, for the tensor cores, with what rounding to halves did to them.
namespace dunlin::kmeans {

constexpr Index chunk = 64;        ///< columns that are multiplied at a time
constexpr Index row_tile = 256;    ///< rows are padded to a multiple of this,
constexpr Index score_tile = 128;  ///< centroids of this

/// Where rows are moved to before they are rounded: x' = (x - middle) * scale, no coordinate beyond 2^14.
struct Frame {
    device::CudaBuffer<double> middle;  ///< per column
    double scale = 1;
};

/// x' rounded to halves, padded x width (zeros beside).
struct RowSketch {
    device::CudaBuffer<__half> halves;
    device::CudaBuffer<float> errors, lengths;  ///< |x' - its halves| and |x'|, rounded up
    Index width = 0;
};

/// c' rounded to halves, padded x width, and the centroids as floats, column after column (cols x padded).
struct CentroidSketch {
    device::CudaBuffer<__half> halves;
    device::CudaBuffer<float> biases;  ///< -|c'|^2 / 2; where there is no centroid, far too little
    device::CudaBuffer<float> columns;
    device::CudaBuffer<float> errors, lengths;  ///< |c' - its halves| and that of c' at most, rounded up
    device::CudaBuffer<float> most;             ///< the largest of both
    Index padded = 0, width = 0;
};

/// How far rounding in sums may move a score, as a share of its largest terms: a step of 16 columns on the tensor cores
/// loses at most 2^-19 of these, an addition in float32 2^-24; 12 are for the four bits of a score that name its column
/// (2^-19 of the score, and of a score of 0 its least bits) and for what happens once.
[[nodiscard]] DUNLIN_HD inline float score_slack(Index steps, Index additions) {
    return static_cast<float>(steps + 12) * 0x1p-19F + static_cast<float>(additions) * 0x1p-24F;
}

/// x.c - |c|^2 / 2 of halves, as the tensor cores sum it, is off from what x' and c' give by no more than this.
[[nodiscard]] DUNLIN_HD inline float score_error(float error_x, float length_x, float error_c, float length_c,
                                                 float slack) {
    return (error_x * length_c + length_x * error_c + slack * (length_x + length_c) * length_c) * 1.0001F + 1e-30F;
}

void sketch_rows(device::Cuda& cuda, const DeviceState& state, const Frame& frame, RowSketch& sketch);

/// Takes its memory; then the centroids as they are, once an iteration.
void prepare_centroids(device::Cuda& cuda, const DeviceState& state, CentroidSketch& sketch);
void sketch_centroids(device::Cuda& cuda, const DeviceState& state, const Frame& frame, CentroidSketch& sketch);

}  // namespace dunlin::kmeans
