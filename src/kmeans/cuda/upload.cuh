// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_rows.cuh"
#include "kmeans/cuda/state.cuh"

namespace dunlin::device {
class InputPoints;
}  // namespace dunlin::device

namespace dunlin::kmeans {

/// A state without scales and clusters; rows are uploaded if `held`, and scaled to length 1 for cosine. They are
/// padded, because kernels read groups of four.
DeviceState upload_rows(device::Cuda& cuda, const Rows& rows, const device::InputPoints& points, bool held);
void upload_scales(device::Cuda& cuda, DeviceState& state, const Scales& scales);

/// These centroids, sums of 0, and no iteration. Needs the scales.
void set_centroids(device::Cuda& cuda, DeviceState& state, const std::vector<float>& centroids);

/// Subtracts the mean and scales so that the largest coordinate is about 2^13.
distance::HalfFrame frame_of(device::Cuda& cuda, const Scales& scales);

}  // namespace dunlin::kmeans
