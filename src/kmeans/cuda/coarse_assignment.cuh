// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_rows.cuh"

namespace dunlin::kmeans {

/// Assignment of a coarse quantizer: for each row its nearest centroid, or one about as near.
struct CoarseAssignment {
    device::CudaBuffer<Index> cell;       ///< per row
    device::CudaBuffer<float> centroids;  ///< cells x cols
    distance::HalfFrame frame = {};       ///< in which they were compared
};

/// Partitions rows (n x cols, finite) into at most `cells` cells: the centroids are those of k-means on about 64 rows
/// per cell, evenly spaced in the order of rows. Deterministic. Waits for the device.
CoarseAssignment assign_coarsely(device::Cuda& cuda, device::CudaBuffer<float> rows, Index cols, Index cells);

/// The nearest of these centroids (cells x cols) for each row, or one about as near. center: center of the rows, per
/// column. Waits for the device.
CoarseAssignment assign_to_nearest(device::Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                   const std::vector<float>& centroids, const std::vector<double>& center);

/// Assigns rows to these centroids in a given frame, so that the cell of a row does not depend on the other rows.
/// Clamps coordinates in `rows` that are beyond the range of the frame.
device::CudaBuffer<Index> assign_in_frame(device::Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                          device::CudaBuffer<float>& centroids, const distance::HalfFrame& frame);

/// Memory in bytes besides the rows.
std::uint64_t coarse_assignment_bytes(Index rows, Index cols, Index cells);

}  // namespace dunlin::kmeans
