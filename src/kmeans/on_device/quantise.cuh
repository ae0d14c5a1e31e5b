#pragma once

#include "device/cuda.cuh"

namespace dunlin::kmeans {

/// Which of some centroids is nearest to each row, or about as near as another: a coarse quantiser, as inverted lists
/// have it.
struct Quantised {
    device::CudaBuffer<Index> cell;       ///< per row
    device::CudaBuffer<float> centroids;  ///< cells x cols
};

/// Cuts rows (n x cols, finite) into at most `cells`: centroids are those of k-means on some 64 rows a cell, taken at
/// even distances. The same for the same rows. Waits for the device.
Quantised quantise(device::Cuda& cuda, device::CudaBuffer<float> rows, Index cols, Index cells);

/// Bytes it takes beside the rows.
std::uint64_t quantising_bytes(Index rows, Index cols, Index cells);

}  // namespace dunlin::kmeans
