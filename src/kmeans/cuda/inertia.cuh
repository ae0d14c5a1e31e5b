// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/row_stream.cuh"

namespace dunlin::kmeans {

/// The inertia, summed by the tree of math/ordered_sum.hpp as on a CPU: the same labels and centroids give the same
/// bytes, whatever the pieces of rows, which begin at multiples of math::sum_block.
class Inertia {
public:
    void prepare(device::Cuda& cuda, const DeviceState& state);
    /// Enqueues the sums of blocks of the state's rows; `labels`: of all rows.
    void add(device::Cuda& cuda, const DeviceState& state, const Index* labels);
    /// Enqueues the sum of all blocks; returns its location.
    device::CudaCell<double>& total(device::Cuda& cuda);
    /// The sums of the blocks; waits for the device.
    std::vector<double> blocks(device::Cuda& cuda) const;

private:
    Offset blocks_ = 0;
    device::CudaBuffer<double> sums_;  ///< sums of blocks, then the levels of the tree above them
    device::CudaCell<double> total_;
};

}  // namespace dunlin::kmeans
