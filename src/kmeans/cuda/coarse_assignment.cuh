// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::kmeans {

/// Which of some centroids is nearest to each row, or about as near as another: a coarse quantizer, as inverted lists
/// have it.
struct CoarseAssignment {
    device::CudaBuffer<Index> cell;       ///< per row
    device::CudaBuffer<float> centroids;  ///< cells x cols
};

/// Cuts rows (n x cols, finite) into at most `cells`: centroids are those of k-means on some 64 rows a cell, taken at
/// even distances. The same for the same rows. Waits for the device.
CoarseAssignment assign_coarsely(device::Cuda& cuda, device::CudaBuffer<float> rows, Index cols, Index cells);

/// The nearest of these centroids (cells x cols) for each row, or one about as near, as quantize finds it. middle: per
/// column, what the rows lie around. Waits for the device.
CoarseAssignment assign_to_nearest(device::Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                   const std::vector<float>& centroids, const std::vector<double>& middle);

/// Bytes they take beside the rows.
std::uint64_t coarse_assignment_bytes(Index rows, Index cols, Index cells);

}  // namespace dunlin::kmeans
